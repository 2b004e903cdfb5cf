#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A slurmd, a slurmstepd or munged is killed, and a node is lost while its job
# is in its grace: leases go on or end properly, each job is started again when
# it has to be, none twice at once, and all complete.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=16 LeaseMax=600 CheckpointGrace=15
EOT
start_cluster --nodes 2 --gpus 2 --astraea "$conf" --slurm SlurmdTimeout=8
rm -f "$conf"
mkdir -m 1777 "$CLUSTER_DIR/out/runs"
journal=$CLUSTER_DIR/out/journal

# work NAME STEPS [SBATCH_ARGUMENT]...: steps take 0.25 s
work() {
	local name=$1 steps=$2
	shift 2
	submit -J "$name" --gres=gpu:2 "$@" --wrap "exec python3 \
$top/testsuite/faults/job.py $journal $name $steps plain"
}
lease_of() {
	sfair lease -j "$1" --json 2>/dev/null | python3 -c '
import json, sys
for j in json.load(sys.stdin)["leases"]:
    print(j["phase"], int(j["start_sec"]), int(j["lease_end_sec"]))' 2>/dev/null
}
phase_is() { [[ $(lease_of "$1") == "$2 "* ]]; }
started() { (($(grep -c " $1 .* start " "$journal") == $2)); }
runs_are() { [[ $(job_field "$1" Restarts) == "$2" ]]; }
node_is() { sinfo -h -N -n "$1" -p gpu -o %T | grep >/dev/null -E "^($2)"; }
node_of() { squeue -h -j "$1" -o %N; }
step_of() {
	python3 - "$top/testsuite/faults" "$CLUSTER_DIR" "$1" <<-'EOT'
		import sys
		sys.path.insert(0, sys.argv[1])
		sys.dont_write_bytecode = True
		from cluster import Cluster
		for pid, job in Cluster(sys.argv[2], False).steps().items():
		    if job == sys.argv[3]:
		        print(pid)
	EOT
}

keeps=$(work keeps 240 --lease=9:00)
wait_for 20 phase_is "$keeps" leased
wait_for 20 started keeps 1
lease=$(lease_of "$keeps")

# slurmd
node=$(node_of "$keeps")
"$live_lib/cluster" stop "$CLUSTER_DIR" "$node" KILL
sleep 2
"$live_lib/cluster" start "$CLUSTER_DIR" "$node"
wait_for 30 node_is "$node" "alloc|mix"
check_eq "the lease after slurmd was killed" "$lease" "$(lease_of "$keeps")"
check "it was started again" started keeps 1

# munged
"$live_lib/cluster" stop "$CLUSTER_DIR" munged
! sfair lease 2>"$CLUSTER_DIR/out/said" || fail "sfair works without munged"
grep -q "munged does not answer" "$CLUSTER_DIR/out/said" ||
	fail "sfair does not name munged: $(cat "$CLUSTER_DIR/out/said")"
sleep 3
"$live_lib/cluster" start "$CLUSTER_DIR" munged
wait_for 30 phase_is "$keeps" leased
check_eq "the lease after munged was gone" "$lease" "$(lease_of "$keeps")"
late=$(work late 4)
wait_for 60 job_is "$late" COMPLETED

# slurmstepd: Slurm looks for what is lost when a slurmd registers.
kill -KILL "$(step_of "$keeps")"
scontrol reconfigure
wait_for 60 runs_are "$keeps" 1
scontrol update JobId="$keeps" StartTime=now
wait_for 60 started keeps 2
wait_for 30 phase_is "$keeps" leased

# A node whose job is in its grace.
graced=$(submit -J graced --gres=gpu:2 --signal=USR1 --wrap "
	trap '' USR1
	exec python3 $top/testsuite/faults/job.py $journal graced 100 plain")
wait_for 30 started graced 1
rival=$(work rival 8)
wait_for 40 phase_is "$graced" grace
node=$(node_of "$graced")
pid=$(step_of "$graced")
"$live_lib/cluster" stop "$CLUSTER_DIR" "$node" KILL
kill -KILL "$pid"
wait_for 60 node_is "$node" down
wait_for 60 runs_are "$graced" 1
no_lease() {
	sfair lease -j "$graced" >"$CLUSTER_DIR/out/said" &&
		[[ ! $(lease_of "$graced") ]]
}
wait_for 30 no_lease
"$live_lib/cluster" start "$CLUSTER_DIR" "$node"
wait_for 60 node_is "$node" "idle|alloc|mix"
scontrol update JobId="$graced" StartTime=now
wait_for 60 job_is "$rival" COMPLETED
wait_for 60 started graced 2
wait_for 90 job_is "$graced" COMPLETED
wait_for 90 job_is "$keeps" COMPLETED
check_eq "runs" "2 graced 2 keeps 1 late 1 rival" "$(
	awk '$7 == "start" { print $3 }' "$journal" | sort | uniq -c |
		awk '{ print $1, $2 }' | xargs)"
! grep conflict "$journal" || fail "two runs at once"
! grep 'start n[12]:$' "$journal" || fail "a run without GPUs"
