#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair why has the numbers of a job's limit beside more jobs under limits, or kept
# by nodes, than are looked up in a round. A job that takes whole nodes has the limit
# of their CPUs as its reason before a start of it is tried. One line "ok NAME" for
# each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 CheckpointGrace=2 NoLeaseGPUs=none" \
	>"$conf"
start_cluster --nodes 2 --gpus 2 --cpus 8 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos \
	--slurm AccountingStorageTRES=gres/gpu
rm -f "$conf"
mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
mgr add account lab
mgr add user root account=lab
mgr add qos one set GrpTRES=gres/gpu=1
mgr add qos five set GrpTRES=cpu=5
mgr modify user root set qos+=one,five defaultaccount=lab
known() { sacctmgr -nP show assoc account=lab user=root format=qos |
	grep >/dev/null five; }
wait_for 20 known
binds() { # JOB KEY VALUE: of what keeps it
	sfair why --json "$1" | python3 -c '
import json, sys
binds = json.load(sys.stdin)["why"]["binds"]
value = binds[0][sys.argv[1]] if binds else ""
sys.exit(str(value) != sys.argv[2] and value != float(sys.argv[2] or 0))' "$2" "$3" 2>/dev/null
}

# All GPUs are in use.
for node in n1 n2; do
	id=$(submit -A lab --gres=gpu:2 -w "$node" --wrap 'exec sleep 600')
	wait_for 30 job_is "$id" RUNNING
done
whole=$(submit -A lab --qos=five --exclusive --gres=gpu:1 --wrap 'exec sleep 600')
is_over() { [[ $(job_reason "$whole") == QOSGrpCpuLimit ]]; }
wait_for 30 is_over
told() { binds "$whole" option GrpTRES=cpu && binds "$whole" asked 8; }
wait_for 20 told
check "no start of it was tried" test -z "$(sed -n \
	"/astraea: JobId=$whole is not started/p" "$CLUSTER_DIR/log/slurmctld.log")"
scancel "$whole"
ok whole-nodes

# Each a record of its own. The last one's turn comes.
one=$(submit -A lab --qos=one --gres=gpu:2 -w n1 --wrap 'exec sleep 600')
wait_for 20 binds "$one" option GrpTRES=gres/gpu
seq 1100 | xargs -P 4 -n 50 sh -c 'for _; do
	sbatch -Q -o /dev/null --chdir=/ -A lab --qos=one --gres=gpu:2 --wrap true
done' sh
last=$(submit -A lab --qos=one --gres=gpu:2 --wrap 'exec sleep 600')
wait_for 60 binds "$last" limit 1
ok after-a-thousand-others
scancel -u root
