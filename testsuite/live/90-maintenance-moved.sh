#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A maintenance that is put off, given up, or leaves no lease room: jobs end when they
# would have without it, or when their user says; no start is foreseen in it; and
# nobody is in the way of a job inside of it.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/maintenance.sh
. "$(dirname "$0")/../lib/maintenance.sh"
maintenance_cluster

job=$(checkpoints --gres=gpu:1 -t 8:00:00)
endless=$(checkpoints --gres=gpu:1 -t UNLIMITED)
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

# ---- No job runs beyond its deadline, with a maintenance before it or after it.

begin=$(($(date +%s) + 240))
maintain behind $begin ignore_jobs
# Whole minutes are left until a deadline, as in stock Slurm.
meets() { # JOB DEADLINE
	local left=$(($2 - $(seconds "$(job_field "$1" EndTime)")))
	((left >= 0 && left < 120))
}
deadline=$(($(date +%s) + 170))
early=$(checkpoints --gres=gpu:1 -t 40 --time-min=1 \
	--deadline="$(date -d @$deadline +%FT%T)")
runs "$early"
check "EndTime $(job_field "$early" EndTime) is before the deadline" \
	meets "$early" $deadline
check_eq "TimeLimit with it" 00:02:00 "$(job_field "$early" TimeLimit)"
scancel "$early"
deadline=$(($(date +%s) + 630))
late=$(checkpoints --gres=gpu:1 -t 40 --time-min=1 \
	--deadline="$(date -d @$deadline +%FT%T)")
runs "$late"
check_eq "EndTime of one with a later deadline" $begin \
	"$(seconds "$(job_field "$late" EndTime)")"
scontrol delete ReservationName=behind
wait_for 20 meets "$late" $deadline
job_is "$late" RUNNING || fail "it does not run any more"
scancel "$late"
ok deadline-holds-beside-a-maintenance

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
