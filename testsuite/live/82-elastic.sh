#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Elastic jobs: squeue, sacct, devices and the environment know the size that a
# run has; it gives GPUs to others at its lease's end, writes its checkpoint and
# goes on with what is left, and gets them back; limits and a slurmctld that is
# killed in the middle are survived.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=20 CheckpointGrace=3" \
	"MinRunTime=1" >"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos,safe
rm -f "$conf"

mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
for account in lab other; do
	mgr add account "$account"
	mgr add user root "account=$account"
done
mgr modify user root set defaultaccount=lab
known() { (($(sacctmgr -nP show assoc user=root format=account | wc -l) >= 2)); }
wait_for 20 known

# A line at the begin of each run, and one where it is told to leave.
cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
devices=${CUDA_VISIBLE_DEVICES//[^,]/}
echo "run $ASTRAEA_GPUS after $ASTRAEA_GPUS_BEFORE world $ASTRAEA_WORLD_SIZE" \
	"here $SLURM_GPUS_ON_NODE devices $((${#devices} + 1))"
trap 'echo "checkpoint at $ASTRAEA_GPUS"; exit 85' TERM
while :; do sleep 1000 & wait; done
EOT
elastic() {
	submit --signal=B:TERM@60 --open-mode=append "$@" "$CLUSTER_DIR/work.sh"
}
asks() { [[ $(job_field "$1" TresPerJob) == *:"$2" ]]; }
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && asks "$1" "$2"
}
last_run() { job_log "$1" | grep '^run' | tail -n 1; }

# ---- All that is idle.

id=$(elastic --gpus=2 --gpu-range=2-8 --cpus-per-gpu=2)
first=$id
wait_for 20 has "$id" 8
wait_for 20 test -s "$CLUSTER_DIR/out/$id"
check_eq "its environment" "run 8 after 0 world 8 here 4 devices 4" \
	"$(last_run "$id")"
check_eq "CPUs" 16 "$(squeue -h -j "$id" -o %C)"
ok grows-to-what-is-idle

# ---- Another account's job: its part is given up.

rigid=$(submit -A other --gres=gpu:4 --no-requeue --wrap 'sleep 600')
wait_for 60 job_is "$rigid" RUNNING
wait_for 40 has "$id" 4
check "it wrote no checkpoint" grep -q '^checkpoint at 8' < <(job_log "$id")
shrunk() { [[ $(last_run "$id") == "run 4 after 8 world 4 "* ]]; }
wait_for 20 shrunk
check_eq "CPUs" 8 "$(squeue -h -j "$id" -o %C)"
ok gives-way

# ---- slurmctld dies.

restart_slurmctld KILL
wait_for 30 has "$id" 4
wait_for 20 job_is "$rigid" RUNNING
scancel "$rigid"
wait_for 120 has "$id" 8
ok grows-again-after-a-crash

# ---- A limit below its largest size.

scancel "$id"
mgr modify account lab set GrpTRES=gres/gpu=3
limited() { sacctmgr -nP show assoc account=lab user= format=grptres |
	grep >/dev/null gres/gpu=3; }
wait_for 20 limited
id=$(elastic --gpu-range=2-8)
wait_for 60 has "$id" 3
mgr modify account lab set GrpTRES=gres/gpu=-1
ok a-limit-binds

# ---- Its user cannot change its size, and an array's tasks have their own.

scancel "$id"
id=$(elastic -H --gpu-range=2-8)
for change in "TresPerJob=$GPU_TRES:3" "TresPerNode=$GPU_TRES:3" Requeue=0; do
	! scontrol update job "$id" "$change" 2>/dev/null ||
		fail "scontrol update $change of an elastic job succeeds"
done
check "the log does not say why" ctld_log 'chosen from --gpu-range=2-8'
check "nor that it is requeued" ctld_log '--gpu-range is for jobs that may be'
check "its size while it waits" asks "$id" 2
scancel "$id"
array=$(elastic --array=1-2 --gpu-range=1-6)
sum() {
	local n=0 tres
	for tres in $(squeue -h -r -j "$array" -t R -O tres-alloc:120); do
		[[ $tres =~ gres/gpu=([0-9]+) ]] && ((n += BASH_REMATCH[1]))
	done
	((n == 8))
}
wait_for 60 sum
scancel "$array"
ok arrays

# ---- What slurmdbd has of the first job's runs.

runs() {
	sacct -nXPD -j "$first" -o alloctres | grep -o 'gres/gpu=[0-9]*' | uniq | tr '\n' ' '
}
booked() { [[ $(runs) == "gres/gpu=8 gres/gpu=4 gres/gpu=8 " ]]; }
wait_for 30 booked
ok sacct
