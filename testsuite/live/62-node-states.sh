#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Nodes that are drained, down, failing, lost, put to sleep and woken: jobs
# under leases fare as under stock Slurm, and a drained node becomes empty at
# the end of the leases on it. One line "ok NAME" for each meaning.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	CheckpointGrace=2
	LeaseTerm=300
	Pool=gpu Partitions=gpu LeaseTerm=6
	Pool=long Partitions=long
	Pool=sleepy Partitions=sleepy
	Pool=doomed Partitions=doomed
EOT
start_cluster --nodes 5 --gpus 2 --cpus 8 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES State=UP' \
	--slurm 'PartitionName=long Nodes=n3 State=UP' \
	--slurm 'PartitionName=sleepy Nodes=n4 State=UP' \
	--slurm 'PartitionName=doomed Nodes=n5 State=UP' \
	--slurm SlurmdTimeout=10
rm -f "$conf"

# Power is a slurmd that runs or does not. Slurm kills what is left of the
# program's process group when that ends.
cat >"$CLUSTER_DIR/run/suspend" <<EOT
#!/bin/bash
exec "$live_lib/cluster" stop "$CLUSTER_DIR" "\$1" >>$CLUSTER_DIR/log/power 2>&1
EOT
cat >"$CLUSTER_DIR/run/resume" <<EOT
#!/bin/bash
exec >>$CLUSTER_DIR/log/power 2>&1
export PATH=$PATH ASTRAEA_SLURM=${ASTRAEA_SLURM-}
echo "resume \$1"
until [[ -e $CLUSTER_DIR/run/power ]]; do sleep 0.2; done
exec setsid --wait "$live_lib/cluster" start "$CLUSTER_DIR" "\$1" -b
EOT
chmod +x "$CLUSTER_DIR"/run/{suspend,resume}
cat >>"$CLUSTER_DIR/etc/slurm.conf" <<EOT
SuspendProgram=$CLUSTER_DIR/run/suspend
ResumeProgram=$CLUSTER_DIR/run/resume
SuspendTime=100000
SuspendTimeout=3
ResumeTimeout=120
EOT
restart_slurmctld

runs() { wait_for 30 job_is "$1" RUNNING; }
node_is() { [[ $(sinfo -h -n "$1" -p "${3-gpu}" -o %T) == "$2" ]]; }
restarted() { [[ $(job_field "$1" Restarts) -ge ${2-1} ]]; }
sleeper() { submit "$@" --wrap 'sleep 600'; }
says() { [[ $(job_reason "$1") == $2 ]]; }
set_node() { scontrol update NodeName="$1" State="$2" Reason=test; }

# ---- Lost: slurmctld takes its time to find out, see the end.

lost=$(sleeper -p doomed --gres=gpu:2)
runs "$lost"
"$live_lib/cluster" stop "$CLUSTER_DIR" n5 KILL

# ---- Asleep: Slurm wakes the node for a job, which is configuring meanwhile,
# and whose lease begins when the node is up.

set_node n4 power_down
wait_for 30 node_is n4 'idle~' sleepy
ok power-down
woken=$(submit -p sleepy --gres=gpu:2 --wrap 'echo runs; sleep 600')

# ---- Drain.

left=$(sleeper --gres=gpu:2 -w n1)
pinned=$(sleeper --gres=gpu:1 --no-requeue -w n2)
stays=$(sleeper -p long --gres=gpu:1)
for id in "$left" "$pinned" "$stays"; do runs "$id"; done
configuring() { [[ $(squeue -h -j "$woken" -o %T) == CONFIGURING ]]; }
wait_for 20 configuring
powered=$(date +%s)
touch "$CLUSTER_DIR/run/power"
ok configuring-while-the-node-boots
set_node n1 drain
set_node n2 drain
set_node n3 drain
new=$(sleeper -p long --gres=gpu:1)
wait_for 30 restarted "$left"
wait_for 20 node_is n1 drained
ok drained-node-is-empty-at-the-end-of-the-lease
wait_for 20 says "$left" ReqNodeNotAvail
check "a drained node got a job" job_is "$new" PENDING
ok drained-node-gets-no-job
check_eq "a job in mid-lease on a drained node" RUNNING "$(job_state "$stays")"
check_eq "its restarts" 0 "$(job_field "$stays" Restarts)"
ok drained-node-keeps-jobs-in-mid-lease
check_eq "a job that is never taken back, on a drained node" RUNNING \
	"$(job_state "$pinned")"
ok drained-node-keeps-jobs-without-requeue
set_node n1 resume
set_node n2 resume
set_node n3 resume
runs "$left"
runs "$new"
ok resume

# ---- Failing, down.

count=$(job_field "$left" Restarts)
set_node n1 fail
wait_for 30 restarted "$left" $((count + 1))
ok failing-node-is-empty-at-the-end-of-the-lease
set_node n1 resume
runs "$left"
count=$(job_field "$left" Restarts)
set_node n1 down
wait_for 30 restarted "$left" $((count + 1))
# ReturnToService=2: a node that registers comes back by itself.
up_again() { [[ $(sinfo -h -n n1 -p gpu -o %T) == @(idle|mixed|allocated) ]]; }
check "a job on a node that is down" eval 'job_is "$left" PENDING || up_again'
ok down-requeues
set_node n1 resume 2>"$CLUSTER_DIR/out/refused" || check \
	"n1 cannot be resumed: $(<"$CLUSTER_DIR/out/refused")" up_again
wait_for 20 up_again
ok down-and-resume

# ---- Awake, lost.

wait_for 60 job_is "$woken" RUNNING
written() { [[ $(job_log "$woken" 2>/dev/null) ]]; }
wait_for 60 written
has_lease() {
	lease=$(sfair lease -j "$woken" --json | python3 -c '
import json, sys
for job in json.load(sys.stdin)["leases"]:
    print(int(job["lease_start_sec"]))')
	[[ $lease ]]
}
wait_for 20 has_lease
check "the lease began at $lease, the node was powered up at $powered" \
	test "$lease" -ge "$powered"
ok lease-begins-when-the-node-is-up
grep -q '^resume n4' "$CLUSTER_DIR/log/power"
check_eq "its restarts" 0 "$(job_field "$woken" Restarts)"
ok power-up-for-a-job
wait_for 60 node_is n5 'down*' doomed
wait_for 30 job_is "$lost" PENDING
ok lost-node-requeues
"$live_lib/cluster" start "$CLUSTER_DIR" n5
wait_for 60 node_is n5 idle doomed
ok lost-node-comes-back

check_eq "errors of ours in the log" '' "$(errors_of_ours)"
# What slurmctld's scripts start inherits its blocked signals.
"$live_lib/cluster" stop "$CLUSTER_DIR" n4 KILL
