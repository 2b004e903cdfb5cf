#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Elastic jobs of workers and parameter servers: tasks and CPUs follow the number
# of workers, in the record, in steps and after a slurmctld that is killed.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=20 CheckpointGrace=3" \
	"MinRunTime=1" >"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos
rm -f "$conf"

mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
for account in lab other; do
	mgr add account "$account"
	mgr add user root "account=$account"
done
mgr modify user root set defaultaccount=lab
known() { (($(sacctmgr -nP show assoc user=root format=account | wc -l) >= 2)); }
wait_for 20 known

cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
# shellcheck disable=SC2016
roles=$(srun bash -c '((SLURM_PROCID < ASTRAEA_WORKERS)) && echo w || echo p')
echo "run $ASTRAEA_WORKERS+$ASTRAEA_PS gpus $ASTRAEA_GPUS tasks $SLURM_NTASKS" \
	"did $(grep -c w <<<"$roles")+$(grep -c p <<<"$roles")"
trap 'echo "checkpoint at $ASTRAEA_WORKERS"; exit 85' TERM
while :; do sleep 1000 & wait; done
EOT
last_run() { job_log "$1" | grep '^run' | tail -n 1; }
ran() { [[ $(last_run "$id") == "$1" ]]; }

# ---- Eight workers on eight GPUs, each and each server a task of two CPUs.

id=$(submit --signal=B:TERM@60 --open-mode=append --workers=2-8 --ps=3 -c2 \
	"$CLUSTER_DIR/work.sh")
wait_for 20 test -s "$CLUSTER_DIR/out/$id"
wait_for 20 ran "run 8+3 gpus 8 tasks 11 did 8+3"
check_eq "CPUs" 22 "$(squeue -h -j "$id" -o %C)"
ok workers-and-their-servers

# ---- With fewer workers there are fewer servers: 3 of 8 is 2 of 4.

rigid=$(submit -A other --gres=gpu:4 --no-requeue --wrap 'sleep 600')
wait_for 60 ran "run 4+2 gpus 4 tasks 6 did 4+2"
check_eq "CPUs" 12 "$(squeue -h -j "$id" -o %C)"
ok fewer-workers

# ---- slurmctld dies.

restart_slurmctld KILL
wait_for 30 job_is "$rigid" RUNNING
scancel "$rigid"
wait_for 120 ran "run 8+3 gpus 8 tasks 11 did 8+3"
check_eq "its runs" 3 "$(job_log "$id" | grep -c '^run')"
scancel "$id"
booked() {
	local runs
	runs=$(sacct -nXPD -j "$id" -o alloctres | grep gres/gpu= |
		sed 's/.*cpu=\([0-9]*\).*gres\/gpu=\([0-9]*\).*/\2:\1/' |
		uniq | tr '\n' ' ')
	[[ $runs == "8:22 4:12 8:22 " ]]
}
wait_for 30 booked
ok grows-again-after-a-crash

# ---- Its tasks are chosen, like its GPUs.

id=$(submit -H --workers=2-8 --ps=3 --wrap true)
! scontrol update job "$id" NumTasks=3 2>/dev/null ||
	fail "scontrol update NumTasks of a job of workers succeeds"
check_eq "tasks while it waits" 3 "$(job_field "$id" NumTasks)"
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
ok tasks-are-chosen
