#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --begin, --deadline, time limits, --signal before the time limit, and what
# squeue --start says. One line "ok NAME" for each meaning.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	NoLeaseGPUs=none
	Pool=gpu Partitions=gpu LeaseTerm=60 CheckpointGrace=3
	Pool=short Partitions=gpu2,short LeaseTerm=6 CheckpointGrace=3
	Pool=late Partitions=late LeaseTerm=43 CheckpointGrace=42
	Tenant=big Accounts=big Weight=100
EOT
# Backfill forgets all start times when a pass begins. During a pass longer than
# bf_yield_interval it releases its locks, and squeue can see that.
long_passes=bf_yield_interval=10000000
lease_cluster --nodes 3 --astraea "$conf" \
	--slurm 'PartitionName=gpu2 Nodes=n2 State=UP MaxTime=10 DefaultTime=5' \
	--slurm 'PartitionName=short Nodes=n2 State=UP' \
	--slurm 'PartitionName=late Nodes=n3 State=UP' \
	--slurm 'PartitionName=other Nodes=c1 State=UP' \
	--slurm SchedulerParameters=bf_interval=1,sched_min_interval=1000,$long_passes
rm -f "$conf"

seconds() { date -d "$1" +%s; }
limit_sec() { # what a run may take, by its start and end
	echo $(($(seconds "$(job_field "$1" EndTime)") -
		$(seconds "$(job_field "$1" StartTime)")))
}
# The sweep that ends jobs over their limit comes each 30 s.
# Slurm refuses a "now" that is a second old.
ends_now() { wait_for 20 scontrol update jobid="$1" endtime=now; }

# ---- What takes long: a time limit over renewed leases, one that is reached in
# a grace, and the user's warning.

renewed=$(sleeper -p short --gpus=1 -t 20)
kept=$(submit -p short --gpus=1 -t 20 --signal=B:USR1 --open-mode=append --wrap '
	trap "exit 85" USR1; echo run; sleep 1000 & wait')
warned=$(submit -p short --gpus=1 -t 1 --signal=B:USR2@20 --wrap \
	'trap "echo warned" USR2; sleep 1000 & while wait $!; [ $? -gt 128 ]; do :; done')
# A grace longer than it takes the sweep to come.
graced=$(submit -p late --gpus=1 --signal=B:USR1 --wrap \
	'trap "echo signalled" USR1; sleep 1000 & while wait $!; [ $? -gt 128 ]; do :; done')
for id in "$renewed" "$kept" "$warned" "$graced"; do runs "$id"; done
check_eq "seconds of -t 20" 1200 "$(limit_sec "$renewed")"
ok time-limit

# ---- Begin.

id=$(sleeper --gpus=1 --begin=now+20)
says "$id" BeginTime
runs "$id"
check "it began too early" test "$(seconds "$(job_field "$id" StartTime)")" -ge \
	"$(seconds "$(job_field "$id" EligibleTime)")"
ok begin
scancel "$id"

# ---- Limits of a partition.

id=$(sleeper -p gpu2 --gpus=1)
runs "$id"
check_eq "default time limit" 00:05:00 "$(job_field "$id" TimeLimit)"
ok time-limit-default
scancel "$id"
id=$(sleeper -p gpu2 --gpus=1 -t 60)
says "$id" PartitionTimeLimit
ok time-limit-of-partition
scancel "$id"
id=$(sleeper --gpus=1 -t 10 --time-min=2)
runs "$id"
limit=$(limit_sec "$id")
check "limit $limit" test "$limit" -ge 120 -a "$limit" -le 600
ok time-min
scancel "$id"

# ---- Deadlines: one that shortens the run, one that cannot be met any more.

id=$(sleeper -H --gpus=1 --deadline=now+10minutes)
asked=$(job_field "$id" TimeLimit)
scontrol release "$id"
runs "$id"
limit=$(limit_sec "$id")
check "limit $limit" test "$limit" -le 600 -a "$limit" -ge 480
ok deadline-shortens-run
scontrol requeuehold "$id"
wait_for 30 job_is "$id" PENDING
check_eq "its time limit after a requeue" "$asked" "$(job_field "$id" TimeLimit)"
ok deadline-shortens-one-run
scancel "$id"
# A later Slurm refuses it at once.
if id=$(sleeper --gpus=1 -t 20 --deadline=now+10minutes 2>"$OUT/refused"); then
	wait_for 60 job_is "$id" DEADLINE
else
	check "refused for another reason" grep -q 'time limit' "$OUT/refused"
	[[ $GPU_TRES != gres:gpu ]] || fail "$(<"$OUT/refused")"
fi
ok deadline-before-time-limit
blocker=$(sleeper --gpus=3 --no-requeue)
runs "$blocker"
missed=$(sleeper --gpus=4 -t 1 --deadline=now+75)
open_end=$(sleeper --gpus=4 -t 1 --deadline=now+1hour)
missed_by_update=$(sleeper --gpus=4 -t 1)
scontrol update jobid="$missed_by_update" \
	deadline="$(date -d '75 seconds' +%Y-%m-%dT%H:%M:%S)"
wait_for 90 job_is "$missed" DEADLINE
wait_for 90 job_is "$missed_by_update" DEADLINE
check_eq "with a later deadline" PENDING "$(job_state "$open_end")"
ok deadline-missed
scancel "$open_end" "$blocker"

# ---- squeue --start: once it is known, it is not forgotten.

blocker=$(sleeper --gpus=4)
runs "$blocker"
next=$(sleeper -A big --gpus=4)
start_of() { squeue -h --start -j "$1" -o '%S'; }
start_known() { [[ $(start_of "$1") == 2* ]]; }
wait_for 60 start_known "$next"
for ((i = 0; i < 60; i++)); do
	((i % 10)) || submit -p cpu --wrap true >/dev/null
	at=$(start_of "$next")
	[[ $at == 2* || $(job_state "$next") != PENDING ]] ||
		fail "squeue --start forgot it in look $i: '$at'; $(sfair why "$next")"
	sleep 0.05
done
check "it is far off: $at" test $(($(seconds "$at") - $(date +%s))) -le 120
ok start-time-expected-stays
scancel "$next" "$blocker"
held=$(sleeper -H --gpus=1)
check_eq "start of a held job" N/A "$(start_of "$held")"
ok start-time-of-held-job
scancel "$held"

# ---- What was begun above.

wait_for 60 grep -qs warned "$OUT/$warned"
check_eq "restarts of one that was warned" 0 \
	"$(job_field "$warned" Restarts)"
ok signal-before-time-limit
check_eq "after some leases" "RUNNING 0" \
	"$(job_state "$renewed") $(job_field "$renewed" Restarts)"
ok lease-renewed-unnoticed
sleeper -p late -A big --gpus=4 >/dev/null # for the end of the long lease
blocker=$(sleeper -p short -A big --gpus=4)
wait_for 60 job_is "$kept" PENDING
scancel "$blocker"
runs "$kept"
check_eq "seconds of the second run" 1200 "$(limit_sec "$kept")"
ok time-limit-is-of-each-run
runs "$renewed"
wait_for 90 grep -qs signalled "$OUT/$graced"
ends_now "$graced"
ends_now "$renewed"
wait_for 60 job_is "$renewed" TIMEOUT
wait_for 60 job_is "$graced" TIMEOUT
sleep 2
check_eq "after its limit" TIMEOUT "$(job_state "$renewed")"
ok time-limit-ends-leased-job
check_eq "over its limit in its grace" "TIMEOUT 0" \
	"$(job_state "$graced") $(job_field "$graced" Restarts)"
ok time-limit-in-grace
