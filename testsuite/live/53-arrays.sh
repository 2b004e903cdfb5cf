#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Arrays under leases: never more tasks than the throttle at once, changes of
# the throttle and of one task, each task its own output, restarts and end.
# One line "ok NAME" for each meaning.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

lease_cluster

tasks() { squeue -h -r -j "$1" -t "$2" -o %i 2>/dev/null | wc -l; }
tasks_are() { [[ $(tasks "$1" "$2") == "$3" ]]; }

# ---- %2 of seven that each outlast a lease, others competing: each task writes
# when it begins and ends its run, so that the most at once is known exactly.

cat >"$OUT/task" <<'EOT'
#!/bin/bash
say() { echo "$(date +%s.%N) $SLURM_ARRAY_TASK_ID $1" >>"$OUT/events"; }
trap 'say -1; exit 85' USR1
say 1
echo "task $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_JOB_ID"
until [[ -e $OUT/go ]]; do sleep 0.2; done
say -1
EOT
array=$(submit --array=1-7%2 --gpus=1 --signal=B:USR1 --open-mode=append \
	-o "$OUT/a%a" "$OUT/task")
wait_for 60 tasks_are "$array" R 2
rest_says() { [[ $(squeue -h -j "$array" -t PD -o %r) == "$1" ]]; }
wait_for 60 rest_says JobArrayTaskLimit
head_says() { [[ $(squeue -h -t PD -o '%i %r' | grep "^${array}_\[") == *" $1" ]]; }
ok array-throttle-reason
first=$(squeue -h -r -j "$array" -t R -o %i | head -n 1)
taker=$(sleeper -A big --gpus=4)
wait_for 60 tasks_are "$array" R 0
# The two wait with records of their own now, and have the array's two places.
wants() { [[ $(sfair tenant -nP -o Tenant,Demand) == *"root|$1"* ]]; }
wait_for 20 wants 2
wait_for 20 head_says JobArrayTaskLimit
sfair why "$array" | xargs -d "\n" >"$OUT/why"
check "sfair why: $(<"$OUT/why")" \
	grep -q '(%2), and 2 tasks run or wait before it' "$OUT/why"
check_eq "tasks that sfair counts" 3 "$(sfair job -nP -o JobID,Tasks |
	awk -F'|' -v a="$array" '$1 ~ "^" a { n += $2 } END { print n }')"
ok array-throttle-over-all-records
scancel "$taker"
restarts "$first" 1
touch "$OUT/go"
all_done() { tasks_are "$array" R,PD,CG 0; }
wait_for 60 all_done
most() {
	sort -n "$OUT/events" |
		awk '{ n += $3; if (n > m) m = n } END { print m }'
}
check_eq "most at once of %2" 2 "$(most)"
ok array-throttle-over-lease-ends
for ((i = 1; i <= 7; i++)); do
	check_eq "state of task $i" COMPLETED "$(job_state "${array}_$i")"
	grep -qx "task $i of $array" "$OUT/a$i" || fail "no output of task $i"
done
ok array-output-of-each-task
rm "$OUT/go"

# ---- The throttle is changed, while tasks wait and run.

array=$(sleeper --array=1-5%1 --gpus=1)
wait_for 60 tasks_are "$array" R 1
sleep 3
check_eq "tasks of %1" 1 "$(tasks "$array" R)"
scontrol update jobid="$array" ArrayTaskThrottle=3
wait_for 60 tasks_are "$array" R 3
sleep 3
check_eq "tasks of %3" 3 "$(tasks "$array" R)"
ok array-throttle-raised
scontrol update jobid="$array" ArrayTaskThrottle=1
scancel "$(squeue -h -r -j "$array" -t R -o %i | head -n 1)"
wait_for 60 tasks_are "$array" R 2
sleep 3
check_eq "tasks after the throttle was lowered" 2 "$(tasks "$array" R)"
ok array-throttle-lowered
# It says of the task that was cancelled that it has ended.
scontrol update jobid="$array" ArrayTaskThrottle=0 >/dev/null 2>&1 || true
wait_for 60 tasks_are "$array" PD 0
ok array-throttle-removed
cancel_all

# ---- One task: held, released, changed, requeued.

array=$(sleeper -H --array=1-4 --gpus=1)
scontrol update jobid="${array}_2" TresPerJob="$GPU_TRES":2
scontrol update jobid="${array}_3" timelimit=7
scontrol release "${array}_1" "${array}_2" "${array}_3"
for i in 1 2 3; do runs "${array}_$i"; done
check "task 2 has not two GPUs" grep -q 'GRES=gpu:a100:2' < <(
	scontrol -d show job "${array}_2")
check_eq "time limit of task 3" 00:07:00 "$(job_field "${array}_3" TimeLimit)"
ok array-update-one-task
sleep 2
check_eq "a held task" PENDING "$(job_state "${array}_4")"
ok array-hold-one-task
scontrol requeue "${array}_3"
wait_for 60 job_is "${array}_3" PENDING
check_eq "another task" "RUNNING 0" \
	"$(job_state "${array}_1") $(job_field "${array}_1" Restarts)"
ok array-requeue-one-task
cancel_all

# ---- One fails, others do not; steps and the numbers in the environment.

array=$(submit --array=0-3:3 --gpus=1 -o "$OUT/b%a" --wrap \
	'echo $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_MIN \
	$SLURM_ARRAY_TASK_MAX; exit $SLURM_ARRAY_TASK_ID')
wait_for 60 job_is "${array}_0" COMPLETED
wait_for 60 job_is "${array}_3" FAILED
check_eq "exit code of task 3" 3:0 "$(job_field "${array}_3" ExitCode)"
check_eq "environment" "2 0 3" "$(<"$OUT/b3")"
ok array-end-of-each-task
