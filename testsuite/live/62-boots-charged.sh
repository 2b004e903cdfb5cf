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

# Power is a slurmd that runs or does not.
cat >"$CLUSTER_DIR/run/suspend" <<EOT
#!/bin/bash
exec "$live_lib/cluster" stop "$CLUSTER_DIR" "\$1" >>$CLUSTER_DIR/log/power 2>&1
EOT
# From 24.11 on slurmctld ends its programs when it stops.
cat >"$CLUSTER_DIR/run/resume" <<EOT
#!/bin/bash
export PATH=$PATH
[[ -e $CLUSTER_DIR/run/broken ]] ||
	exec setsid --fork "$CLUSTER_DIR/run/boot" "\$1" >>$CLUSTER_DIR/log/power 2>&1
EOT
cat >"$CLUSTER_DIR/run/boot" <<EOT
#!/bin/bash
export PATH=$PATH ASTRAEA_SLURM=${ASTRAEA_SLURM-}
touch "$CLUSTER_DIR/run/booting"
until [[ -e $CLUSTER_DIR/run/power ]]; do
	[[ -d $CLUSTER_DIR/run ]] || exit
	sleep 0.2
done
exec "$live_lib/cluster" start "$CLUSTER_DIR" "\$1" -b
EOT
chmod +x "$CLUSTER_DIR"/run/{suspend,resume,boot}
cat >>"$CLUSTER_DIR/etc/slurm.conf" <<EOT
SuspendProgram=$CLUSTER_DIR/run/suspend
ResumeProgram=$CLUSTER_DIR/run/resume
SuspendTime=100000
SuspendTimeout=3
ResumeTimeout=25
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
power_down() {
	scontrol update NodeName=n1 State=power_down
	wait_for 30 node_is 'idle~'
}
later() { (($(date +%s) > $1)); }

# ---- A boot that fails, as the node stays off.
power_down
touch "$CLUSTER_DIR/run/broken"
failed=$(submit --no-requeue --gres=gpu:4 --wrap 'sleep 600')
wait_for 20 is_configuring "$failed"
held() {
	sfair tenant --json 2>/dev/null | python3 2>/dev/null -c '
import json, sys
print(*(t["alloc_gpus"] for t in json.load(sys.stdin)["tenants"]))'
}
wait_for 20 eval '[[ $(held) == 4* ]]'
wait_for 20 charges 0
wait_for 60 job_is "$failed" NODE_FAIL
wait_for 20 eval '[[ $(held) == 0* ]]'
wait_for 20 charges 0
ok boot-that-fails-is-not-charged

# ---- One that is cancelled.
rm "$CLUSTER_DIR/run/broken"
sed -i 's/^ResumeTimeout=.*/ResumeTimeout=300/' "$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
scontrol update NodeName=n1 State=resume
"$live_lib/cluster" start "$CLUSTER_DIR" n1 -b
wait_for 60 node_is idle
power_down
cancelled=$(submit --gres=gpu:4 --wrap 'sleep 600')
wait_for 20 is_configuring "$cancelled"
wait_for 20 eval '[[ $(held) == 4* ]]'
scancel "$cancelled"
wait_for 30 job_is "$cancelled" CANCELLED
wait_for 20 charges 0
touch "$CLUSTER_DIR/run/power"
wait_for 60 node_is idle
ok boot-that-is-cancelled-is-not-charged

# ---- One that ends well; slurmctld is restarted meanwhile.
rm "$CLUSTER_DIR/run/power" "$CLUSTER_DIR/run/booting"
power_down
woken=$(submit --gres=gpu:4 --wrap 'sleep 8')
wait_for 20 is_configuring "$woken"
# A slurmctld that ends before it has run ResumeProgram may never run it.
wait_for 30 test -e "$CLUSTER_DIR/run/booting"
begin=$(date +%s)
restart_slurmctld
wait_for 20 later $((begin + 8))
wait_for 20 charges 0
touch "$CLUSTER_DIR/run/power"
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
# What slurmctld's scripts start inherits its blocked signals.
"$live_lib/cluster" stop "$CLUSTER_DIR" n1 KILL
