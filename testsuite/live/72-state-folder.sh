#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A StateSaveLocation that is full or read-only: jobs are started and taken
# back as before, sfair diag and the log say what is wrong, the log not more
# than once a minute, and once there is room again the state is saved.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=4 CheckpointGrace=2
EOT
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
state=$CLUSTER_DIR/state

state_end() {
	local status=$?
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
	umount -l "$state" 2>/dev/null || true
	live_end "$status"
}
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
cp -a "$state" "$CLUSTER_DIR/aside"
mount -t tmpfs -o size=8m,mode=755 state "$state" 2>/dev/null ||
	skip "no file system can be mounted here"
trap state_end EXIT
cp -a "$CLUSTER_DIR/aside/." "$state/"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld

# Three jobs for the GPUs of two: every few seconds one is taken back.
jobs=()
for _ in 1 2 3; do jobs+=("$(submit -A red --gres=gpu:1 \
	--wrap 'sleep 600')"); done
restarts() {
	local id sum=0
	for id in "${jobs[@]}"; do
		sum=$((sum + $(job_field "$id" Restarts)))
	done
	echo "$sum"
}
more_restarts() { (($(restarts) > $1)); }
diag() {
	sfair diag --json 2>/dev/null | python3 -c '
import json, sys
print(json.load(sys.stdin)["diag"][sys.argv[1]] or "")' "$1"
}
says() { [[ $(diag state_error) == *"$1"* ]]; }
is_saved() { [[ ! $(diag state_error) ]]; }
logged() { grep -c "the state is not saved" \
	"$CLUSTER_DIR/log/slurmctld.log" || true; }
saved_since() { (($(stat -c %Y "$state/astraea.gpu") > $1)); }

# broken HOW TEXT ERRORS: what is said and done while nothing can be saved;
# the log had so many errors before
broken() {
	local before
	before=$(restarts)
	wait_for 30 says "$2"
	wait_for 40 more_restarts $((before + 2))
	check "$1: errors in the log" test "$(logged)" -ge 1
	check "$1: the log is flooded" test "$(logged)" -le $(($3 + 2))
}

wait_for 30 more_restarts 0
wait_for 20 is_saved
check_eq "errors before" 0 "$(logged)"

dd if=/dev/zero of="$state/fill" bs=64k 2>/dev/null || true
dd if=/dev/zero of="$state/fill2" bs=1 2>/dev/null || true
broken full "No space left on device" 0
now=$(date +%s)
rm "$state/fill" "$state/fill2"
wait_for 30 is_saved
wait_for 30 saved_since "$now"

remount() { mount -o "remount,$1" "$state" 2>/dev/null; }
before=$(logged)
wait_for 30 remount ro # not while a file is written
broken read-only "Read-only file system" "$before"
# Killed now, Slurm itself goes back to its last save; the leases go on.
now=$(date +%s)
remount rw
wait_for 30 is_saved
wait_for 30 saved_since "$now"
restart_slurmctld KILL
goes_on() { ctld_log "pool gpu goes on with its saved leases"; }
wait_for 30 goes_on
before=$(restarts)
wait_for 40 more_restarts "$before"
