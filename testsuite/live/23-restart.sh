#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Leases and integrals go on over a restart in mid-lease, and a slurmctld
# without the plugin finds no job that it would not start.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=20 CheckpointGrace=3" \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --astraea "$conf"
rm -f "$conf"

field() {
	sfair job -j "$1" --json | python3 -c '
import json, sys
print(int(json.load(sys.stdin)["jobs"][0][sys.argv[1]]))' "$2"
}

ids=()
for _ in 1 2 3; do ids+=("$(submit --gres=gpu:4 --wrap 'sleep 600')"); done
a=${ids[0]} b=${ids[1]} c=${ids[2]}
wait_for 10 job_is "$b" RUNNING
sleep 6 # slurmctld saves its jobs every 5 s
begin=$(field "$a" lease_start_sec)
had=$(field "$a" alloc_gpu_sec)

for signal in KILL TERM; do
	restart_slurmctld $signal
	wait_for 20 ctld_log "goes on with its saved leases"
	answers() { sfair job -j "$a" --json >/dev/null 2>&1; }
	wait_for 20 answers
	check_eq "lease after $signal" "$begin" "$(field "$a" lease_start_sec)"
	check "GPU time goes on after $signal" \
		test "$(field "$a" alloc_gpu_sec)" -ge "$had"
	had=$(field "$a" alloc_gpu_sec)
	: >"$CLUSTER_DIR/log/slurmctld.log"
done

# The lease ends when it was to end.
restarted() { (($(job_field "$1" Restarts) >= 1)); }
wait_for 30 job_is "$c" RUNNING
began=$(date -d "$(job_field "$c" StartTime)" +%s)
check "the rival starts at the lease's end, $((began - begin)) s after its" \
	test $((began - begin)) -ge 20 -a $((began - begin)) -le 28

# Back to stock Slurm: TERM gives the waiting jobs back.
waits=$(submit --gres=gpu:4 --wrap 'sleep 600')
sleep 2
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
sed -i -e 's/^SchedulerType=.*/SchedulerType=sched\/backfill/' \
	-e '/^BurstBufferType/d' -e '/^JobSubmitPlugins/d' \
	-e 's/^PriorityType=.*/PriorityType=priority\/basic/' \
	"$CLUSTER_DIR/etc/slurm.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
check_eq "jobs that stock Slurm would pass over" 0 \
	"$(squeue -h -t PD -o %r | grep -c Lease)"
scancel -t RUNNING -u root
wait_for 20 job_is "$waits" RUNNING
