#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The engine saves slurmctld's jobs before it launches one, and slurmctld's own
# saver does when a job comes: in turn, also where a sync takes long. Side by
# side one would take the other's write for a clock that was set back.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
lib=$(mktemp --suffix=.so)
gcc -O2 -D_GNU_SOURCE -shared -fPIC -o "$lib" "$live_lib/slowsync.c"
echo 'Pool=gpu Partitions=gpu RoundInterval=30' >"$conf"
SLURMCTLD_PRELOAD=$lib start_cluster --nodes 1 --gpus 8 --astraea "$conf"
rm -f "$conf"

# Slurmctld compares times of files that are ten seconds apart.
quiet() {
	local since
	since=$(stat -c %Y "$CLUSTER_DIR/state/job_state")
	(($(date +%s) > since + 11))
}
start_one() {
	local id
	id=$(submit --gres=gpu:1 --wrap 'sleep 600')
	wait_for 60 job_is "$id" RUNNING
}
start_one
wait_for 60 test -s "$CLUSTER_DIR/state/job_state"
for _ in 1 2; do
	wait_for 60 quiet
	start_one
done
rm -f "$lib"
check_eq "slurmctld's errors about its job_state" '' \
	"$(grep -E 'moved backwards|not be synchronized|Bad job state' \
		"$CLUSTER_DIR/log/slurmctld.log" || true)"
