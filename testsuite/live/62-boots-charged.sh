#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node that is powered down is woken for a job. GPU time is charged from when
# the node is up, as sacct has it, and a boot that fails is not charged.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300' >"$conf"
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"

# Power is a slurmd that runs or does not; this script starts and stops it.
cat >>"$CLUSTER_DIR/etc/slurm.conf" <<EOT
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=100000
SuspendTimeout=3
ResumeTimeout=40
EOT
restart_slurmctld

node_is() { [[ $(sinfo -h -n n1 -p gpu -o %T) == "$1" ]]; }
is_configuring() { [[ $(squeue -h -j "$1" -o %T) == CONFIGURING ]]; }
charged() {
	sfair tenant --json 2>/dev/null | python3 2>/dev/null -c '
import json, sys
print(*(round(t["alloc_gpu_sec"]) for t in json.load(sys.stdin)["tenants"]))'
}
charges() { [[ $(charged) == "$1" ]]; }
boots() { [[ $(sinfo -h -n n1 -p gpu -o %T) == *'#' ]]; }
is_put_off() { [[ $(sinfo -h -n n1 -p gpu -o %T) == idle[%~] ]]; }
power_down() {
	scontrol update NodeName=n1 State=power_down
	wait_for 30 is_put_off
	"$live_lib/cluster" stop "$CLUSTER_DIR" n1
	wait_for 30 node_is 'idle~'
}
boot() { "$live_lib/cluster" start "$CLUSTER_DIR" n1 -b; }
later() { (($(date +%s) > $1)); }

# ---- A boot that fails, as the node stays off.
power_down
failed=$(submit --no-requeue --gres=gpu:4 --wrap 'sleep 600')
wait_for 20 is_configuring "$failed"
held() {
	sfair tenant --json 2>/dev/null | python3 2>/dev/null -c '
import json, sys
print(*(t["alloc_gpus"] for t in json.load(sys.stdin)["tenants"]))'
}
wait_for 20 eval '[[ $(held) == 4* ]]'
wait_for 20 charges 0
wait_for 90 job_is "$failed" NODE_FAIL
wait_for 20 eval '[[ $(held) == 0* ]]'
wait_for 20 charges 0
ok boot-that-fails-is-not-charged

# ---- One that is cancelled.
sed -i 's/^ResumeTimeout=.*/ResumeTimeout=300/' "$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
scontrol update NodeName=n1 State=resume
boot
wait_for 60 node_is idle
power_down
cancelled=$(submit --gres=gpu:4 --wrap 'sleep 600')
wait_for 20 is_configuring "$cancelled"
wait_for 20 eval '[[ $(held) == 4* ]]'
wait_for 30 boots
scancel "$cancelled"
wait_for 30 job_is "$cancelled" CANCELLED
wait_for 20 charges 0
boot
wait_for 60 node_is idle
ok boot-that-is-cancelled-is-not-charged

# ---- One that ends well; slurmctld is restarted meanwhile.
power_down
woken=$(submit --gres=gpu:4 --wrap 'sleep 8')
wait_for 20 is_configuring "$woken"
# A slurmctld that ends before it has woken the node may never do so.
wait_for 30 boots
begin=$(date +%s)
restart_slurmctld
wait_for 20 later $((begin + 8))
wait_for 20 charges 0
boot
wait_for 60 job_is "$woken" COMPLETED
booked() { [[ $(sacct -nPX -j "$woken" -o start,end) == 20*\|20* ]]; }
wait_for 30 booked
IFS='|' read -r start end < <(sacct -nPX -j "$woken" -o start,end)
start=$(date -d "$start" +%s) end=$(date -d "$end" +%s)
check "sacct's start $start is not after the boot's begin, $begin" \
	test "$start" -ge $((begin + 8))
wait_for 20 charges $((4 * (end - start)))
ok charged-as-in-sacct

check_eq "errors of ours in the log" '' "$(errors_of_ours)"
