#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scancel of what waits, runs or writes its checkpoint, of arrays and of single
# tasks, and signals. One line "ok NAME" for each meaning.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=9
	CheckpointGrace=8
	NoLeaseGPUs=none
	Pool=gpu Partitions=gpu,gpu2
	Tenant=big Accounts=big Weight=100
EOT
lease_cluster --accounting --astraea "$conf"
rm -f "$conf"
for account in small big; do
	sacctmgr -i add account $account >/dev/null
	for user in root games; do
		sacctmgr -i add user $user account=$account >/dev/null
	done
done
export SBATCH_ACCOUNT=small
known() { sbatch --test-only -A small --wrap true 2>/dev/null; }
wait_for 60 known

# shellcheck disable=SC2053
sacct_is() { [[ $(sacct -nXP -j "$1" -o state | tail -n 1) == $2 ]]; }
free_gpus_are() {
	[[ $(scontrol -o show node n1 |
		sed -n 's/.*AllocTRES=\([^ ]*\).*/\1/p') != *gres/gpu* ]]
}
tasks() { squeue -h -r -j "$1" -t "$2" -o %i 2>/dev/null | wc -l; }
tasks_are() { [[ $(tasks "$1" "$2") == "$3" ]]; }

# ---- Waiting and running.

runner=$(sleeper --gpus=4)
runs "$runner"
waiter=$(sleeper -A big -H --gpus=4)
scontrol release "$waiter"
says "$waiter" 'Lease: *'
scancel "$waiter"
wait_for 60 job_is "$waiter" CANCELLED
wait_for 60 sacct_is "$waiter" 'CANCELLED*'
ok cancel-waiting
scancel "$runner"
wait_for 60 job_is "$runner" CANCELLED
wait_for 60 sacct_is "$runner" 'CANCELLED*'
wait_for 60 free_gpus_are
sleep 2
check_eq "restarts of a cancelled job" "CANCELLED 0" \
	"$(job_state "$runner") $(job_field "$runner" Restarts)"
ok cancel-running

# ---- In the grace: it is over, though it leaves with a checkpoint's exit code.

cat >"$OUT/slow" <<'EOT'
#!/bin/bash
trap 'echo signalled; sleep 6; echo saved; [[ ! $LEAVES ]] || exit 85' USR1
[[ ! $LEAVES ]] || trap 'exit 85' TERM
sleep 1000 & while wait $!; [ $? -gt 128 ]; do :; done
EOT
for leaves in '' 1; do
	id=$(submit --gpus=4 --signal=B:USR1 --export=ALL,LEAVES=$leaves \
		"$OUT/slow")
	runs "$id"
	taker=$(sleeper -A big --gpus=4)
	wait_for 60 grep -qs signalled "$OUT/$id"
	scancel "$id"
	wait_for 60 job_is "$id" CANCELLED
	runs "$taker"
	check_eq "cancelled in its grace" "CANCELLED 0" \
		"$(job_state "$id") $(job_field "$id" Restarts)"
	scancel "$taker"
done
wait_for 60 sacct_is "$id" 'CANCELLED*'
ok cancel-in-grace

# Between two runs.
id=$(sleeper --gpus=1)
runs "$id"
take_back "$id"
scancel "$id"
wait_for 60 job_is "$id" CANCELLED
give_back
sleep 2
check_eq "cancelled between leases" CANCELLED "$(job_state "$id")"
ok cancel-between-leases

# ---- Arrays.

array=$(sleeper --array=1-8 --gpus=1)
wait_for 60 tasks_are "$array" R 4
scancel "${array}_1" "${array}_8"
wait_for 60 job_is "${array}_1" CANCELLED
wait_for 60 tasks_are "$array" R 4
check_eq "tasks that wait" 2 "$(tasks "$array" PD)"
! squeue -h -r -j "$array" -o %i | grep >/dev/null -x "${array}_8" ||
	fail "the last task is still there"
ok cancel-one-task
scancel "${array}_[6-7]"
wait_for 60 tasks_are "$array" PD 0
check_eq "tasks that run" 4 "$(tasks "$array" R)"
ok cancel-some-tasks
scancel "$array"
wait_for 60 tasks_are "$array" R,PD,CG 0
ok cancel-array

# ---- Chosen by state, user and name.

array=$(sleeper --array=1-6 --gpus=1)
wait_for 60 tasks_are "$array" R 4
scancel -t PENDING
wait_for 60 tasks_are "$array" PD 0
check_eq "tasks after -t PENDING" 4 "$(tasks "$array" R)"
ok cancel-by-state
cancel_all
mine=$(sleeper -J mine --gpus=1)
theirs=$(as_other sbatch --parsable -o "$OUT/%j" --chdir=/ --gpus=1 \
	--wrap 'sleep 300')
runs "$mine"
runs "$theirs"
refused "" as_other scancel "$mine"
check_eq "a stranger's scancel" RUNNING "$(job_state "$mine")"
ok cancel-by-stranger-refused
scancel -u games
wait_for 60 job_is "$theirs" CANCELLED
check_eq "others after -u" RUNNING "$(job_state "$mine")"
ok cancel-by-user
scancel -n mine
wait_for 60 job_is "$mine" CANCELLED
ok cancel-by-name

# ---- Signals: to steps, to the batch shell, to all; none ends the lease.

cat >"$OUT/ears" <<'EOT'
#!/bin/bash
trap 'echo batch' USR2
srun --overlap -n1 bash -c 'trap "" USR2; sleep 1000 &
	trap "echo step" USR2; echo up; while wait $!; [ $? -gt 128 ]; do :; done' &
while :; do wait; done
EOT
id=$(submit --gpus=1 "$OUT/ears")
wait_for 60 grep -qs up "$OUT/$id"
heard_are() { [[ $(grep -c "$1" "$OUT/$id") == "$2" ]]; }
scancel --signal=USR2 "$id"
wait_for 60 heard_are step 1
check "the batch shell got it" heard_are batch 0
ok signal-to-steps
scancel --signal=USR2 --batch "$id"
wait_for 60 heard_are batch 1
check "the step got it" heard_are step 1
ok signal-to-batch
scancel --signal=USR2 --full "$id"
wait_for 60 heard_are batch 2
wait_for 60 heard_are step 2
check_eq "after signals" "RUNNING 0" \
	"$(job_state "$id") $(job_field "$id" Restarts)"
ok signal-to-all
cancel_all
