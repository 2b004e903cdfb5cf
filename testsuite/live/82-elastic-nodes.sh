#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Elastic jobs in Slurm's own words, -N MIN-MAX with GPUs on each node: they give
# up nodes, and get them back, also where slurmctld is killed in between; limits,
# arrays, types and reservations are heeded.
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
echo "run $ASTRAEA_GPUS after $ASTRAEA_GPUS_BEFORE nodes $SLURM_NNODES" \
	"here $SLURM_GPUS_ON_NODE"
trap 'echo "checkpoint at $ASTRAEA_GPUS"; exit 85' TERM
while :; do sleep 1000 & wait; done
EOT
elastic() {
	submit --signal=B:TERM@60 --open-mode=append "$@" "$CLUSTER_DIR/work.sh"
}
nodes_of() { squeue -h -j "$1" -o %D; }
has() { # JOB NODES: it runs on so many
	job_is "$1" RUNNING && [[ $(nodes_of "$1") == "$2" ]]
}
last_run() { job_log "$1" | grep '^run' | tail -n 1; }
clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
cancel() {
	scancel "$@"
	wait_for 30 clean
}

# ---- All nodes, then one.

id=$(elastic -N1-2 --gpus-per-node=4 --cpus-per-gpu=2)
wait_for 20 has "$id" 2
wait_for 20 test -s "$CLUSTER_DIR/out/$id"
check_eq "its environment" "run 8 after 0 nodes 2 here 4" "$(last_run "$id")"
check_eq "CPUs" 16 "$(squeue -h -j "$id" -o %C)"
rigid=$(submit -A other --gres=gpu:4 --no-requeue --wrap 'sleep 600')
wait_for 60 job_is "$rigid" RUNNING
wait_for 40 has "$id" 1
check "it wrote no checkpoint" grep -q '^checkpoint at 8' < <(job_log "$id")
shrunk() { [[ $(last_run "$id") == "run 4 after 8 nodes 1 here 4" ]]; }
wait_for 20 shrunk
ok gives-a-node-up

# ---- slurmctld dies.

restart_slurmctld KILL
wait_for 30 has "$id" 1
wait_for 20 job_is "$rigid" RUNNING
scancel "$rigid"
wait_for 120 has "$id" 2
ok grows-again-after-a-crash
cancel "$id"

runs() {
	sacct -nXPD -j "$id" -o alloctres,nnodes | grep gres/gpu= |
		sed 's/.*gres\/gpu=\([0-9]*\).*|/\1:/' | uniq | tr '\n' ' '
}
booked() { [[ $(runs) == "8:2 4:1 8:2 " ]]; }
wait_for 30 booked
ok sacct

# ---- More nodes than there are, than a limit has, or than may be used.

id=$(elastic -N1-99 --gres=gpu:a100:3)
wait_for 20 has "$id" 2
cancel "$id"
ok max-above-the-partition
mgr modify account lab set GrpTRES=node=1
limited() { sacctmgr -nP show assoc account=lab user= format=grptres |
	grep >/dev/null node=1; }
wait_for 20 limited
id=$(elastic -N1-2 --gpus-per-node=2)
wait_for 30 has "$id" 1
cancel "$id"
id=$(elastic -N1-2 --gpus-per-node=2 -w n2)
wait_for 30 has "$id" 1
check_eq "the node that it named" n2 "$(job_field "$id" NodeList)"
cancel "$id"
mgr modify account lab set GrpTRES=node=-1
ok a-limit-binds
scontrol create reservation reservationname=kept nodes=n2 accounts=other \
	starttime=now duration=60 >"$CLUSTER_DIR/out/reservation"
id=$(elastic -N1-2 --gpus-per-node=2)
wait_for 30 has "$id" 1
cancel "$id"
scontrol delete reservation=kept
ok a-reservation-is-kept

# ---- Arrays, and what is Slurm's as before.

array=$(elastic --array=1-2 -N1-2 --gpus-per-node=4)
sum() { [[ $(squeue -h -r -j "$array" -t R -o %D | paste -sd+) == 1+1 ]]; }
wait_for 60 sum
cancel "$array"
ok arrays
for arguments in '--exclusive -N1-2 --gres=gpu:4' '-N1-2 --gres=gpu:4 --no-requeue'; do
	# shellcheck disable=SC2086
	id=$(submit $arguments --wrap "echo \"gpus \$ASTRAEA_GPUS\"; sleep 600")
	wait_for 30 has "$id" 2
	wait_for 20 test -s "$CLUSTER_DIR/out/$id"
	check_eq "elastic with $arguments" "gpus " "$(job_log "$id")"
	cancel "$id"
done
ok rigid-where-it-has-no-leases-or-whole-nodes
! sbatch -N3-2 --gres=gpu:1 --wrap true 2>"$CLUSTER_DIR/out/err" ||
	fail "sbatch -N3-2 was accepted"
! sbatch -N3-4 --gres=gpu:1 --wrap true 2>"$CLUSTER_DIR/out/err" ||
	fail "sbatch -N3-4 was accepted"
check "sbatch -N3-4 says $(<"$CLUSTER_DIR/out/err")" \
	grep -q '3 nodes with 1 GPU each' "$CLUSTER_DIR/out/err"
ok refused
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
