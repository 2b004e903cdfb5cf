#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Another version of Astraea and this one take turns under running jobs: leased,
# in their grace, waiting, held, of an array; slurmctld is stopped or killed in
# between. No job is lost, none runs twice, and this version goes on with the
# other's leases, GPU time and history.
#
#   ASTRAEA_OTHER_BUILD=FOLDER   the build folder of the other version
. "$(dirname "$0")/../lib/live.sh"

other=${ASTRAEA_OTHER_BUILD-}
[[ $other ]] || skip "no ASTRAEA_OTHER_BUILD"
ours=${ASTRAEA_BUILDDIR:-$top/build}

# The long lease is recalled for nobody.
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 LeaseMax=900 CheckpointGrace=4 Promise=no
EOT
ASTRAEA_BUILDDIR=$other start_cluster --nodes 2 --gpus 4 \
	--slurm RequeueExit=85 --astraea "$conf"
rm -f "$conf"
mkdir -m 1777 "$CLUSTER_DIR/out/runs"
journal=$CLUSTER_DIR/out/journal

# change_to BUILD SIGNAL: slurmctld ends by SIGNAL and comes back with others.
change_to() {
	local f
	[[ ! $2 ]] || "$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld "$2"
	for f in "$1"/*.so "$1"/sfair{,-agent,sim}; do
		[[ ! -f $f ]] || install -t "$CLUSTER_DIR/astraea" "$f"
	done
	log_from=$(($(wc -l <"$CLUSTER_DIR/log/slurmctld.log") + 1))
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}
log_since() { tail -n +"$log_from" "$CLUSTER_DIR/log/slurmctld.log"; }

job="exec python3 $top/testsuite/faults/job.py $journal"
over=$(submit -A red --gres=gpu:1 --wrap true)
wait_for 30 job_is "$over" COMPLETED
long=$(submit -A red --gres=gpu:4 --lease=14:00 --wrap 'echo begin; sleep 2000')
wait_for 20 job_is "$long" RUNNING
# Its checkpoint takes a while: it is in its grace then.
submit -A blue -J slow --gres=gpu:4 --signal=USR1 --wrap \
	'trap "sleep 2; exit 85" USR1; while :; do sleep 0.1; done'
for name in one two; do
	submit -A blue -J $name --gres=gpu:4 --signal=USR1 \
		--wrap "$job $name 4000 ckpt"
done
submit -A red --gres=gpu:1 --hold --wrap 'sleep 2000'
submit -A red --gres=gpu:1 --array=0-2 --wrap 'sleep 2000'
submit -A red --gres=gpu:4 -N2 --begin=now+1hour --wrap true

ids() { squeue -h -r -o %F_%K | sort; }
lost() { comm -23 <(echo "$before") <(ids); }
ask() { sfair "$@" --json 2>/dev/null; }
lease_of_long() {
	ask lease -j "$long" | python3 -c '
import json, sys
for j in json.load(sys.stdin)["leases"]:
    print(int(j["start_sec"]), int(j["lease_end_sec"]))' 2>/dev/null
}
has_lease() { [[ $(lease_of_long) ]]; }
used() { # GPU seconds of all tenants
	ask tenant | python3 -c '
import json, sys
print(int(sum(t["alloc_gpu_sec"] for t in json.load(sys.stdin)["tenants"])))'
}
in_grace() { ask lease | grep >/dev/null '"grace"'; }
begun() { cat "$journal" 2>/dev/null | grep -c ' start ' || true; }
more_begun() { (($(begun) > $1)); }
no_failure() {
	check_eq "$1: jobs that are lost" "" "$(lost)"
	check_eq "$1: jobs that failed" "" \
		"$(squeue -h -t FAILED,NODE_FAIL,CANCELLED -o '%i %T')"
	! grep conflict "$journal" || fail "$1: two runs at once"
	check_eq "$1: runs of the long job" begin "$(job_log "$long")"
}
# goes_on WHAT: leases end and begin, and no error of ours is in the log.
goes_on() {
	wait_for 40 has_lease
	wait_for 200 more_begun $(($(begun) + 2))
	no_failure "$1"
}
has_history() {
	sfair job Leases start=today -nP -o JobID >"$CLUSTER_DIR/out/history" 2>&1
	grep -qx "$long" "$CLUSTER_DIR/out/history"
}

wait_for 200 more_begun 2
before=$(ids)
wait_for 30 has_lease
lease=$(lease_of_long)
for signal in TERM KILL; do
	sleep 6 # Slurm has saved them all
	wait_for 200 in_grace
	was=$(used)
	change_to "$ours" $signal
	wait_for 40 has_lease
	check_eq "upgrade after $signal: the lease" "$lease" "$(lease_of_long)"
	check "upgrade after $signal: GPU time is lost" test "$(used)" -ge "$was"
	check "upgrade after $signal: the log says" \
		eval '! log_since | grep "error: astraea"'
	goes_on "upgrade after $signal"
	wait_for 30 has_history
	wait_for 200 in_grace
	change_to "$other" $signal
	goes_on "back after $signal"
	lease=$(lease_of_long)
done
