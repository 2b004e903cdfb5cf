#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that Slurm did not start because of a limit keeps the limit's reason, as with
# stock Slurm: no words of ours stand in its place until the round has decided about
# it. One line "ok NAME" for each.
top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BUILDDIR=$("$top/testsuite/lib/variant" fault)
export ASTRAEA_BUILDDIR
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 CheckpointGrace=2 NoLeaseGPUs=none" \
	>"$conf"
start_cluster --nodes 4 --gpus 2 --cpus 8 --accounting --astraea "$conf" \
	--slurm AccountingStorageEnforce=associations,limits,qos \
	--slurm AccountingStorageTRES=gres/gpu
rm -f "$conf"
mgr() { sacctmgr -iQ "$@" >"$CLUSTER_DIR/out/sacctmgr"; }
mgr add account lab
mgr add user root account=lab
mgr add qos one
mgr modify qos one set GrpTRES=node=1
mgr add qos nine
mgr modify qos nine set GrpTRES=cpu=9
mgr modify user root set qos+=one,nine defaultaccount=lab
known() { sacctmgr -nP show assoc account=lab user=root format=qos |
	grep >/dev/null nine; }
wait_for 20 known
first=$(submit -A lab --qos=one -N1 --exclusive --gres=gpu:1 --wrap 'exec sleep 600')
nine=$(submit -A lab --qos=nine -N1 --exclusive --gres=gpu:1 --wrap 'exec sleep 600')
wait_for 30 job_is "$first" RUNNING
wait_for 30 job_is "$nine" RUNNING

# Rounds take a second; what squeue says meanwhile is noted.
sleep 3
echo 'round.decided 1000000 usec' >"$CLUSTER_DIR/state/astraea_fault"
# limited QOS REASON: a job of this QOS says so from its submission on.
limited() {
	local salloc
	salloc -Q --no-shell -A lab --qos="$1" -N1 --exclusive -J "$1" &
	salloc=$!
	begun() { [[ $(squeue -h -n "$1" -t PD -o %r) ]]; }
	wait_for 20 begun "$1"
	for _ in $(seq 60); do
		squeue -h -n "$1" -t PD -o %r
		sleep 0.05
	done | uniq >"$CLUSTER_DIR/out/reasons"
	check_eq "what squeue said" "$2" "$(xargs <"$CLUSTER_DIR/out/reasons")"
	echo "$salloc" >>"$CLUSTER_DIR/out/sallocs"
}

# Nobody waits: Slurm itself tries the job. That a whole node has too many CPUs it
# finds out only then.
limited nine QOSGrpCpuLimit
ok the-reason-stays-until-the-round-has-decided
# Somebody waits, so that it is left to the next round.
limited one QOSGrpNodeLimit
ok a-limit-is-the-first-reason
scancel -u root
while read -r salloc; do wait "$salloc" || true; done <"$CLUSTER_DIR/out/sallocs"
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
