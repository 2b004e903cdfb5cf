#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Reservations and leased jobs: inside, outside, before, for maintenance, and at
# their end, as under stock Slurm. One line "ok NAME" for each meaning.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 LeaseMax=20 CheckpointGrace=2" \
	>"$conf"
start_cluster --nodes 3 --gpus 2 --cpus 8 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n[1-3] Default=YES DefaultTime=10:00 MaxTime=INFINITE State=UP'
rm -f "$conf"

runs() { wait_for 20 job_is "$1" RUNNING; }
sleeper() { submit "$@" --wrap 'sleep 600'; }
says() { [[ $(job_reason "$1") == $2 ]]; }
reserve() { scontrol create reservation users=root "$@" >/dev/null; }
node_of() { job_field "$1" NodeList; }

# ---- Inside and outside.

reserve ReservationName=mine StartTime=now Duration=60 Nodes=n1
in=$(sleeper --reservation=mine --gres=gpu:1)
runs "$in"
check_eq "node of a job inside" n1 "$(node_of "$in")"
ok job-inside-a-reservation
two=$(sleeper --reservation=mine --gres=gpu:1)
runs "$two"
full=$(sleeper --reservation=mine --gres=gpu:2)
wait_for 20 says "$full" 'Lease: *'
check_eq "a job inside, when the reservation is full" PENDING \
	"$(job_state "$full")"
ok job-inside-does-not-go-outside
out=$(sleeper --no-requeue --gres=gpu:2)
out2=$(sleeper --no-requeue --gres=gpu:2)
out3=$(sleeper --gres=gpu:2)
runs "$out"
runs "$out2"
check_eq "nodes of jobs outside" "n2 n3" \
	"$(printf '%s\n' "$(node_of "$out")" "$(node_of "$out2")" | sort | xargs)"
ok job-outside-keeps-off-reserved-nodes
scancel "$in" "$two" "$full"
sleep 3
check_eq "a job outside, with reserved nodes free" PENDING \
	"$(job_state "$out3")"
ok reserved-nodes-stay-free
other=$(sleeper --reservation=mine --gres=gpu:2)
runs "$other"
# Its lease ends more than once, and it is not driven out.
sleep 10
check_eq "a job inside, after its lease" 0 "$(job_field "$other" Restarts)"
ok lease-inside-a-reservation-is-renewed
if submit --reservation=none --gres=gpu:1 --wrap true 2>/dev/null; then
	fail "an unknown reservation was accepted"
fi
ok unknown-reservation-is-refused
scancel "$other"

# ---- The end of a reservation.

scontrol delete ReservationName=mine
runs "$out3"
check_eq "node of the one that waited" n1 "$(node_of "$out3")"
ok nodes-are-free-at-the-end-of-a-reservation
scancel "$out" "$out2" "$out3"

# ---- Before a reservation: no job that would reach into it.

reserve ReservationName=soon StartTime=now+20minutes Duration=60 Nodes=n[1-3]
long=$(sleeper --gres=gpu:1 -t 30)
short=$(sleeper --gres=gpu:1 -t 15)
default=$(sleeper --gres=gpu:1)
runs "$short"
ok short-job-runs-before-a-reservation
runs "$default"
ok default-time-counts-before-a-reservation
sleep 2
check_eq "a job that reaches into a reservation" PENDING "$(job_state "$long")"
ok job-that-reaches-into-a-reservation-waits
scontrol update JobId="$long" TimeLimit=15
runs "$long"
ok shorter-limit-lets-it-start
scancel "$long" "$short" "$default"
scontrol delete ReservationName=soon

# ---- Maintenance.

reserve ReservationName=maint StartTime=now Duration=60 Nodes=n1 \
	flags=maint,ignore_jobs
in=$(sleeper --reservation=maint --gres=gpu:1)
runs "$in"
check_eq "node of a job inside" n1 "$(node_of "$in")"
ok job-inside-a-maintenance-reservation
out=$(sleeper --gres=gpu:2 -w n1)
sleep 3
check_eq "a job outside, for a node in maintenance" PENDING \
	"$(job_state "$out")"
ok job-outside-waits-for-a-maintenance
scancel "$in"
scontrol delete ReservationName=maint
runs "$out"
ok maintenance-ends
scancel "$out"

# ---- Made over jobs that run: their leases go on up to it, and not in it.

restarted() { (($(job_field "$1" Restarts) > 0)); }
leaves=$(sleeper --gres=gpu:2 -w n1)
stays=$(sleeper --gres=gpu:2 --lease=0:20 -w n2)
pinned=$(sleeper --no-requeue --gres=gpu:2 -w n3)
for id in "$leaves" "$stays" "$pinned"; do runs "$id"; done
reserve ReservationName=over StartTime=now Duration=60 Nodes=n1,n3 \
	flags=maint,ignore_jobs
wait_for 40 restarted "$leaves"
completed() { ! job_is "$leaves" COMPLETING; }
wait_for 20 completed
check_eq "a job on a node that is reserved" PENDING "$(job_state "$leaves")"
ok lease-in-a-reservation-of-others-is-not-renewed
scontrol delete ReservationName=over
runs "$leaves"
check_eq "one that cannot be requeued" "RUNNING 0" \
	"$(job_state "$pinned") $(job_field "$pinned" Restarts)"
check_eq "one elsewhere" 0 "$(job_field "$stays" Restarts)"
# It begins 12 s after the lease's next end, which is far enough off for it to be
# known by then.
end_of() { date -d "$(sfair lease -nP -j "$1" -o LeaseEnd)" +%s; }
far_off() {
	lease_end=$(end_of "$stays")
	((lease_end >= $(date +%s) + 12))
}
wait_for 60 far_off
begin=$((lease_end + 12))
reserve ReservationName=over StartTime="$(date -d @$begin +%FT%T)" \
	Duration=60 Nodes=n2 flags=ignore_jobs
ends_by() { (($(end_of "$1") == begin)); }
wait_for 40 ends_by "$stays"
wait_for 60 restarted "$stays"
check "it left before the reservation" test "$(date +%s)" -ge "$begin"
ok lease-ends-with-the-begin-of-a-reservation
scontrol delete ReservationName=over
scancel "$leaves" "$stays" "$pinned"

# ---- Several reservations; one that opens later; a part of a node.

reserve ReservationName=a StartTime=now Duration=60 Nodes=n1
reserve ReservationName=b StartTime=now Duration=60 Nodes=n2
blocker=$(sleeper --reservation=a --gres=gpu:2)
runs "$blocker"
either=$(sleeper --reservation=a,b --gres=gpu:1)
runs "$either"
check_eq "node of a job that names two" n2 "$(node_of "$either")"
ok one-of-two-reservations
scancel "$blocker" "$either"
scontrol delete ReservationName=a
scontrol delete ReservationName=b
reserve ReservationName=later StartTime=now+20 Duration=60 Nodes=n3
early=$(sleeper --reservation=later --gres=gpu:1)
wait_for 20 says "$early" Reservation
wait_for 40 job_is "$early" RUNNING
ok job-waits-for-its-reservation
reserve ReservationName=cores StartTime=now Duration=60 Nodes=n1 CoreCnt=4
beside=$(sleeper --gres=gpu:2 -c 4 -w n1)
runs "$beside"
part=$(sleeper --reservation=cores -c 4 -w n1)
runs "$part"
ok reservation-of-cores
scancel "$beside" "$part"

# ---- Deleted: not while a job refers to it, be it one between two leases.

reserve ReservationName=gone StartTime=now Duration=60 Nodes=n2
inside=$(sleeper --reservation=gone --gres=gpu:1)
runs "$inside"
stays() {
	local said
	! said=$(scontrol delete ReservationName=gone 2>&1) &&
		[[ $said == *'in use'* ]]
}
check "deleted under a job that runs" stays
scontrol update nodename=n2 state=drain reason="not now"
scontrol requeue "$inside"
wait_for 20 job_is "$inside" PENDING
check "deleted under a job that waits for its next lease" stays
ok reservation-of-a-job-between-leases-stays
scontrol update jobid="$inside" ReservationName= StartTime=now
scontrol delete ReservationName=gone
runs "$inside"
ok job-goes-on-outside
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
