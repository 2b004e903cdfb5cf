#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The engine saves slurmctld's jobs once it has launched one, and slurmctld's own
# saver does when a job comes: in turn, also where a sync takes long. Side by
# side one would take the other's write for a clock that was set back. No launch
# waits for a save.
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
	id=$(submit --gres=gpu:1 --wrap 'echo began; sleep 600')
	wait_for 60 test -s "$CLUSTER_DIR/out/$id"
}
start_one
wait_for 60 test -s "$CLUSTER_DIR/state/job_state"
for _ in 1 2; do
	wait_for 60 quiet
	start_one
done
rm -f "$lib"

# Slurmctld's saver has just written and keeps still: it would be the engine's turn.
saved() { [[ $(stat -c %i "$CLUSTER_DIR/state/job_state") != "$before" ]]; }
before=$(stat -c %i "$CLUSTER_DIR/state/job_state")
submit -H --wrap true >/dev/null
wait_for 60 saved
touch "$CLUSTER_DIR/state/held"
start_one
rm "$CLUSTER_DIR/state/held"
before=$(stat -c %i "$CLUSTER_DIR/state/job_state")
wait_for 60 saved
check_eq "slurmctld's errors about its job_state" '' \
	"$(grep -E 'moved backwards|not be synchronized|Bad job state' \
		"$CLUSTER_DIR/log/slurmctld.log" || true)"
