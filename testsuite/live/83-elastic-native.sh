#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What Slurm's commands mean for elastic jobs, whose size changes from one run to
# the next: each means what it means for any job, and squeue, the devices and
# the job know the same size. One line "ok NAME" for each meaning.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,gpu2,one RoundInterval=1 LeaseTerm=20" \
	"CheckpointGrace=2 MinRunTime=1" >"$conf"
start_cluster --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf" \
	--node 'n2 Gres=gpu:h100:4' \
	--slurm AccountingStorageEnforce=associations,limits,qos,safe \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES State=UP' \
	--slurm 'PartitionName=gpu2 Nodes=n2 State=UP' \
	--slurm 'PartitionName=one Nodes=n[1-2] MaxNodes=1 State=UP'
rm -f "$conf"
mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
mgr add account lab
mgr add user root account=lab
mgr modify user root set defaultaccount=lab
known() { (($(sacctmgr -nP show assoc user=root format=account | wc -l))); }
wait_for 20 known

# It says what it has and, as most scripts, looks at nothing else.
cat >"$CLUSTER_DIR/work.sh" <<'EOT'
#!/bin/bash
devices=${CUDA_VISIBLE_DEVICES//[^,]/}
echo "run ${ASTRAEA_GPUS-} after ${ASTRAEA_GPUS_BEFORE-} slurm ${SLURM_GPUS-}" \
	"here $((${#devices} + 1))"
sleep 600
EOT
elastic() { submit --open-mode=append "$@" "$CLUSTER_DIR/work.sh"; }
# The GPUs of its allocation, and those that its record asks for.
gpus() {
	scontrol -d show job "$1" | sed -nE \
		's/^ *Nodes=([^ ]*) .*GRES=gpu(:[a-z0-9]+)?:([0-9]+).*/\1 \3/p' |
		while read -r nodes n; do
			echo $((n * $(scontrol show hostnames "$nodes" | wc -l)))
		done | awk '{ n += $1 } END { print n + 0 }'
}
asks() { [[ $(job_field "$1" TresPerJob) == *:"$2" ]]; }
has() { job_is "$1" RUNNING && asks "$1" "$2" && (($(gpus "$1") == $2)); }
runs_on() { wait_for 60 has "$@"; }
waits_as() { # JOB REASON GPUS
	[[ $(job_state "$1") == PENDING && $(job_reason "$1") == $2 ]] &&
		asks "$1" "$3"
}
last_run() { job_log "$1" | grep '^run' | tail -n 1; }
tells() { [[ $(last_run "$1") == $2 ]]; }
clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
cancel_all() {
	scancel -u root
	wait_for 30 clean
}
at_once() { scontrol update jobid="$1" starttime=now 2>/dev/null; }
now() { wait_for 30 at_once "$1"; } # refused until slurmdbd has answered

# ---- Types, and the nodes that they leave.

! elastic --gpus=h100:1 --gpu-range=1-5 2>/dev/null ||
	fail "5 GPUs of a type that has 4 are accepted"
id=$(elastic --gpus=h100:1 --gpu-range=1-4)
runs_on "$id" 4
check_eq "node of a type" n2 "$(job_field "$id" NodeList)"
wait_for 20 tells "$id" "run 4 after 0 * here 4"
ok typed-gpus
scancel "$id"

# ---- Hold, release, requeue, suspend, cancel.

id=$(elastic -H --gpu-range=2-8)
sleep 2
wait_for 20 waits_as "$id" JobHeldUser 2
scontrol release "$id"
runs_on "$id" 8
ok hold-and-release
for change in TresPerJob="$GPU_TRES:3" TresPerNode="$GPU_TRES:3"; do
	! scontrol update jobid="$id" "$change" 2>/dev/null ||
		fail "update $change of a job that runs"
done
check "updates changed it" has "$id" 8
scontrol update jobid="$id" timelimit=60 nice=10 comment=mine
check "updates changed it" has "$id" 8
ok update-while-it-runs
scontrol suspend "$id"
wait_for 20 job_is "$id" SUSPENDED
sleep 2
check_eq "GPUs while suspended" 8 "$(gpus "$id")"
scontrol resume "$id"
runs_on "$id" 8
check_eq "restarts" 0 "$(job_field "$id" Restarts)"
ok suspend-and-resume
scontrol hold "$id"
scontrol requeue "$id"
wait_for 30 waits_as "$id" 'JobHeld*' 2
ok requeue-of-a-held-one
scontrol release "$id"
now "$id"
runs_on "$id" 8
wait_for 20 tells "$id" "run 8 after 8 * here 4"
scontrol requeue "$id"
wait_for 30 waits_as "$id" BeginTime 2
now "$id"
runs_on "$id" 8
ok requeue

# ---- Nodes.

scontrol update nodename=n2 state=drain reason=test
sleep 4
check "a node that drains lets it run" has "$id" 8
scontrol requeue "$id"
wait_for 30 job_is "$id" PENDING
now "$id"
runs_on "$id" 4
check_eq "its node" n1 "$(job_field "$id" NodeList)"
ok node-drained
scontrol update nodename=n2 state=resume
runs_on "$id" 8
wait_for 20 tells "$id" "run 8 after 4 *"
"$live_lib/cluster" stop "$CLUSTER_DIR" n2 # else it comes back at once
scontrol update nodename=n2 state=down reason=test
wait_for 30 job_is "$id" PENDING
now "$id"
runs_on "$id" 4
"$live_lib/cluster" start "$CLUSTER_DIR" n2
runs_on "$id" 8
ok node-down
scancel "$id"
wait_for 30 job_is "$id" CANCELLED
wait_for 30 clean
ok cancel

# ---- Updates while it waits: partition, nodes, tasks.

id=$(elastic -H --gpu-range=2-4)
scontrol update jobid="$id" partition=gpu2
scontrol release "$id"
runs_on "$id" 4
check_eq "its node" n2 "$(job_field "$id" NodeList)"
ok update-of-the-partition
scancel "$id"
id=$(elastic -H --gpu-range=2-8)
! scontrol update jobid="$id" numnodes=3 2>/dev/null ||
	fail "3 nodes for 2 GPUs are accepted"
scontrol update jobid="$id" reqnodelist=n1 numnodes=1-1
scontrol release "$id"
runs_on "$id" 4
check_eq "its node" n1 "$(job_field "$id" NodeList)"
ok update-of-the-nodes
scancel "$id"
for range in --gpu-range=1-1 --gpu-range=1-4 --workers=1-4; do
	id=$(elastic -H "$range")
	for change in OverSubscribe=NO Partition=cpu Partition=gpu,cpu \
		NumNodes=2 ReqNodeList='n[1-2]'; do
		! scontrol update jobid="$id" "$change" 2>/dev/null ||
			fail "update $change of a job with $range is accepted"
	done
	for why in 'and --exclusive exclude each other' \
		'needs a partition whose GPUs are leased' \
		'begins below the number of nodes'; do
		check "the log does not say: $why" \
			ctld_log "job $id cannot be .*: ${range%=*} $why"
	done
	check_eq "partition" gpu "$(job_field "$id" Partition)"
	scontrol update jobid="$id" partition=gpu2 numnodes=1 \
		OverSubscribe=YES reqnodelist=n2
	scancel "$id"
done
ok update-to-what-sbatch-refuses

# ---- Times, dependencies, arrays, reservations.

export OUT=$CLUSTER_DIR/out
first=$(submit --gpus=1 --no-requeue \
	--wrap 'until [ -e $OUT/go ]; do sleep 0.2; done')
id=$(elastic -d afterok:"$first" --gpu-range=2-8)
late=$(elastic --begin=now+1hour --gpu-range=2-8)
wait_for 20 waits_as "$id" Dependency 2
wait_for 20 waits_as "$late" BeginTime 2
touch "$OUT/go"
runs_on "$id" 8
ok dependency
scancel "$id"
now "$late"
runs_on "$late" 8
ok begin-time
scancel "$late"

array=$(elastic -o "$CLUSTER_DIR/out/%A_%a" --array=1-3%1 --gpu-range=2-8)
runs_on "${array}_1" 8
others_wait() {
	[[ $(squeue -h -t PD -j "$array" -o %r) == JobArrayTaskLimit ]]
}
wait_for 30 others_wait
scancel "${array}_1"
runs_on "${array}_2" 8
scontrol requeue "${array}_2"
wait_for 30 job_is "${array}_2" PENDING
scancel "${array}_3"
now "${array}_2"
runs_on "${array}_2" 8
ok array-with-a-limit
cancel_all

scontrol create reservation users=root ReservationName=mine StartTime=now \
	Duration=60 Nodes=n1 >/dev/null
id=$(elastic --reservation=mine --gpu-range=2-8)
out=$(elastic --gpu-range=2-8)
runs_on "$id" 4
runs_on "$out" 4
check_eq "nodes inside and outside" "n1 n2" \
	"$(job_field "$id" NodeList) $(job_field "$out" NodeList)"
ok reservation
cancel_all
scontrol delete ReservationName=mine

# ---- Limits between its smallest and its largest size.

limit() {
	mgr modify account lab set "$1"
	sleep 1
}
limit GrpTRES=gres/gpu=5
id=$(elastic --gpu-range=2-8)
runs_on "$id" 5
scancel "$id"
limit GrpTRES=gres/gpu=-1
limit MaxTRESPerJob=gres/gpu=6
id=$(elastic --gpu-range=2-8)
runs_on "$id" 6
scancel "$id"
limit GrpTRES=gres/gpu=1
id=$(elastic --gpu-range=2-8)
wait_for 30 waits_as "$id" 'AssocGrp*' 2
limit MaxTRESPerJob=gres/gpu=-1
limit GrpTRES=gres/gpu=-1
runs_on "$id" 8
ok limits
scancel "$id"
mgr add qos small set MaxTRESPerJob=gres/gpu=3
mgr modify user root set qos+=small
sleep 1
id=$(elastic --qos=small --gpu-range=2-8)
runs_on "$id" 3
scancel "$id"
ok limit-of-a-qos
for arguments in '-p one --gpu-range=1-8' '-p one --workers=1-8' \
	'-p one,gpu2 --gpu-range=1-8'; do
	# shellcheck disable=SC2086
	id=$(elastic $arguments)
	runs_on "$id" 4
	scancel "$id"
done
id=$(elastic -p one,gpu --gpu-range=2-8)
runs_on "$id" 8
ok nodes-of-the-partition

# ---- A phase without our plugins.

blocked=$(elastic --gpu-range=2-6)
waits_for_a_turn() { [[ $(job_reason "$blocked") == Lease:* ]]; }
wait_for 30 waits_for_a_turn
slurm_conf=$CLUSTER_DIR/etc/slurm.conf
cp "$slurm_conf" "$CLUSTER_DIR/etc/ours"
change() {
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
	cp "$CLUSTER_DIR/etc/$1" "$slurm_conf"
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}
grep -v '^\(SchedulerType\|BurstBufferType\|PriorityType\|JobSubmitPlugins\)=' \
	"$slurm_conf" >"$CLUSTER_DIR/etc/stock"
echo 'SchedulerType=sched/backfill
PriorityType=priority/multifactor' >>"$CLUSTER_DIR/etc/stock"
change stock
check "it runs on" has "$id" 8
scontrol requeue "$id"
now "$id"
record() { # JOB GPUS HERE: it has what its record asks for, and sees as many
	has "$1" "$2" && tells "$1" "run * here $3"
}
wait_for 60 record "$blocked" 2 2
ok without-our-plugins
