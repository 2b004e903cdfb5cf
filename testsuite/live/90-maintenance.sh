#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A maintenance (scontrol create reservation flags=maint) and leases: a job of any
# time limit runs on leases that are over before it, is told to checkpoint in time,
# waits through it with the reason, and goes on after it; so does one that ran when
# the maintenance was planned. One without leases goes by its time limit, as ever.
. "$(dirname "$0")/../lib/live.sh"

grace=4
conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=120 LeaseMax=3600 CheckpointGrace=$grace MinRunTime=2 ForecastInterval=2" \
	>"$conf"
start_cluster --nodes 2 --gpus 2 --cpus 8 --astraea "$conf" \
	--slurm KillWait=5 \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES DefaultTime=10:00 MaxTime=INFINITE State=UP'
rm -f "$conf"
lead=$((grace + 5 + 1))

runs() { wait_for 30 job_is "$1" RUNNING; }
seconds() { date -d "$1" +%s; }
lease_end() { seconds "$(sfair lease -nP -j "$1" -o LeaseEnd)"; }
why() { sfair why "$1" | tr -s ' \n' ' '; }
# It says when each signal came, and leaves with the checkpoint.
checkpoints() {
	submit --signal=USR1 --open-mode=append "$@" --wrap '
		trap "date +USR1\ %s; exit 85" USR1
		date +begin\ %s; while :; do sleep 0.2; done'
}
maintain() { # NAME START_SECONDS [FLAG]
	scontrol create reservation users=root ReservationName="$1" \
		StartTime="$(date -d @"$2" +%FT%T)" Duration=60 Nodes=ALL \
		flags=maint"${3:+,$3}" >/dev/null
}

# ---- Planned before jobs come.

begin=$(($(date +%s) + 90))
maintain soon $begin
job=$(checkpoints --gres=gpu:1 -t 8:00:00)
endless=$(checkpoints --gres=gpu:1 -t UNLIMITED)
runs "$job"
runs "$endless"
ok a-job-that-reaches-into-it-starts-on-a-shorter-lease
check_eq "its time limit" 08:00:00 "$(job_field "$job" TimeLimit)"
check_eq "one without" UNLIMITED "$(job_field "$endless" TimeLimit)"
check "EndTime is before the maintenance" \
	test "$(seconds "$(job_field "$job" EndTime)")" -le $begin
ok scontrol-tells-its-limit-and-an-end-before
ends_before() { (($(lease_end "$1") == begin - lead)); }
wait_for 20 ends_before "$job"
wait_for 20 ends_before "$endless"
told=$(scontrol -o show job "$job" >/dev/null && sfair job --json -j "$job" |
	python3 -c 'import json, sys
print(int(json.load(sys.stdin)["jobs"][0]["lease_end_sec"]))')
check_eq "the lease's end in JSON" $((begin - lead)) "$told"
ok lease-ends-before-the-maintenance-with-grace-and-kill

array=$(checkpoints --gres=gpu:1 -t 8:00:00 --array=1-3)
limits() {
	squeue -h -r -j "$array" -t R -o %i | wc -l | grep -x 2 >/dev/null &&
		[[ $(squeue -h -r -j "$array" -o %l | sort -u) == 8:00:00 ]]
}
wait_for 30 limits
scancel "$array"
ok the-rest-of-an-array-keeps-its-limit

pinned=$(submit --no-requeue --gres=gpu:1 -t 30 --wrap 'sleep 600')
short=$(submit --no-requeue --gres=gpu:1 -t 1 --wrap true)
done_short() { [[ $(job_state "$short") == COMPLET* ]]; }
wait_for 30 done_short
waits() { [[ $(job_reason "$1") == "Lease: maintenance $2 until "* ]]; }
wait_for 20 waits "$pinned" soon
[[ $(why "$pinned") == *"The maintenance soon begins in"*"its time limit reaches into it"* ]] ||
	fail "sfair why: $(why "$pinned")"
scancel "$pinned"
ok without-leases-the-time-limit-counts

# ---- Told in time, through it, and after it.

wait_for 90 waits "$job" soon
wait_for 20 waits "$endless" soon
for id in "$job" "$endless"; do
	signalled=$(job_log "$id" | sed -n 's/^USR1 //p')
	check "job $id has its signal before the maintenance" \
		test "${signalled:-0}" -ge $((begin - lead - 1)) -a \
		"$signalled" -le $((begin - lead + 4))
	check_eq "restarts of job $id" 1 "$(job_field "$id" Restarts)"
done
((begin > $(date +%s))) || fail "they waited no sooner than it began"
ok checkpoint-in-time-before-it
until_begun() { (($(date +%s) > begin + 2)); }
wait_for 60 until_begun
check_eq "GPUs in use in the maintenance" 0 "$(gpus_of root)"
waits "$job" soon || fail "reason in it: $(job_reason "$job")"
[[ $(why "$job") == *"The maintenance soon has its nodes; it is over in"*"(scontrol show reservation soon)"* ]] ||
	fail "sfair why: $(why "$job")"
sfair why --json "$job" | python3 -c 'import json, sys
b = json.load(sys.stdin)["why"]["binds"][0]
assert b["kind"] == "maintenance" and b["of"] == "soon", b
assert b["time_sec"] > 0, b' || fail "JSON of sfair why"
when=$(sfair when "$job" 2>&1) || true
[[ $when == *"does not start before $(date -d @$((begin + 3600)) +%F)"* ]] || fail "sfair when: $when"
ok no-lease-goes-through-it
scontrol delete ReservationName=soon
for id in "$job" "$endless"; do
	runs "$id"
	check_eq "its limit" "$(job_field "$id" TimeLimit)" \
		"$([[ $id == "$job" ]] && echo 08:00:00 || echo UNLIMITED)"
done
ok they-go-on-after-it

# ---- Planned while leases run across its begin.

begin=$(($(date +%s) + 25))
maintain over $begin ignore_jobs
wait_for 20 ends_before "$job"
wait_for 60 waits "$job" over
signalled=$(job_log "$job" | sed -n 's/^USR1 //p' | tail -n 1)
check "it has its signal before the second one" \
	test "$signalled" -le $((begin - lead + 4))
wait_for 20 waits "$endless" over
((begin > $(date +%s))) || fail "they waited no sooner than it began"
ok leases-that-run-are-cut
scontrol delete ReservationName=over
runs "$job"
runs "$endless"

# ---- Put off, and given up, while a job runs that it had shortened.

begin=$(($(date +%s) + 90))
maintain later $begin ignore_jobs
shortened=$(checkpoints --gres=gpu:1 -t 8:00:00)
runs "$shortened"
ends_at() { (($(seconds "$(job_field "$shortened" EndTime)") == $1)); }
check "EndTime is when it begins" ends_at $begin
scontrol update ReservationName=later StartTime="$(date -d @$((begin + 600)) +%FT%T)"
wait_for 20 ends_at $((begin + 600))
scontrol delete ReservationName=later
wait_for 20 ends_at \
	$(($(seconds "$(job_field "$shortened" StartTime)") + 8 * 3600))
job_is "$shortened" RUNNING || fail "it does not run any more"
check_eq "restarts of a job beside it" 0 "$(job_field "$shortened" Restarts)"
ok slurm-ends-no-job-where-one-was-to-begin

# ---- An end that its user gives it stays, with no maintenance and with one.

# Slurm takes as many minutes off the limit, rounded down from half a one: it may
# be up to a minute and a half later than the end, here it is.
ends_in() { # SECONDS
	local limit
	limit=$(($(seconds "$(job_field "$shortened" StartTime)") + 8 * 3600))
	end=$(($(date +%s) + $1))
	end=$((end + (limit - end - 29) % 60))
	scontrol update jobid="$shortened" endtime="$(date -d @$end +%FT%T)"
}
ends_in 600
for ((i = 0; i < 30; i++)); do
	check "EndTime is what its user said" ends_at $end
	sleep 0.1
done
maintain beside $((end + 40)) ignore_jobs
sleep 3
check "EndTime beside a maintenance after it" ends_at $end
scontrol delete ReservationName=beside
sleep 3
check "EndTime after it is given up" ends_at $end
scancel "$shortened"
ok an-end-that-its-user-gives-it-stays

# ---- No start is foreseen in one, nor before it where no lease has room: it takes
# longer to have these GPUs back than until the minute before it.

runs "$job"
runs "$endless"
begin=$(($(date +%s) + 66))
maintain ahead $begin ignore_jobs
waiting=$(submit --gres=gpu:2 -N 2 -t 8:00:00 --wrap true)
foreseen='' submitted=$(date +%s)
while (($(date +%s) < begin - 50)); do
	at=$(squeue -h --start -j "$waiting" -o %S)
	# Slurm itself begins with the time of submission.
	if [[ $at == 20* ]] && (($(seconds "$at") > submitted)); then
		check "it is expected at $at, after the maintenance" \
			test "$(seconds "$at")" -ge $((begin + 3600))
		foreseen=yes
	fi
	sleep 0.2
done
[[ $foreseen ]] || waits "$waiting" ahead || fail "it is expected at $at"
ok no-start-is-foreseen-in-it
scancel "$waiting"
scontrol delete ReservationName=ahead

# ---- Nobody is in the way of a job inside of it.

begin=$(($(date +%s) + 5))
maintain now $begin ignore_jobs
inside=$(submit --reservation=now --gres=gpu:2 -N 2 -t 1 --wrap 'sleep 600')
runs "$inside"
waits "$job" now || fail "reason beside it: $(job_reason "$job")"
ok job-inside-runs
scontrol update ReservationName=now Duration=1
scancel "$job" "$endless" "$inside"
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
