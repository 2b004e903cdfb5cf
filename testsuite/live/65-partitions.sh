#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What an admin does to partitions, nodes and slurmctld while leases run: states
# and limits of partitions, nodes that come and go, GPUs that vanish, reconfigure
# and shutdown mean what they mean under stock Slurm. One line "ok NAME" each.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu,small RoundInterval=1 LeaseTerm=300\
 CheckpointGrace=2" >"$conf"
start_cluster --nodes 3 --gpus 2 --cpus 8 --astraea "$conf" \
	--slurm 'PartitionName=small Nodes=n3 MaxTime=INFINITE State=UP'
rm -f "$conf"

runs() { wait_for 30 job_is "$1" RUNNING; }
sleeper() { submit "$@" --wrap 'sleep 600'; }
says() { [[ $(job_reason "$1") == $2 ]]; }
part() { scontrol update PartitionName="$1" "${@:2}"; }
refused() {
	if submit "$@" --wrap true 2>"$CLUSTER_DIR/out/refused"; then
		fail "$*: accepted"
	fi
}
# waits REASON SBATCH_ARGUMENT...
waits() {
	local reason=$1
	shift
	last=$(sleeper "$@")
	wait_for 20 says "$last" "$reason"
	check_eq "state of $*" PENDING "$(job_state "$last")"
}
lease_of() { sfair lease -j "$1" -nP -o LeaseStart,LeaseEnd; }
node_is() { [[ $(sinfo -h -n "$1" -p gpu -o %T) == $2 ]]; }

kept=$(sleeper --gres=gpu:1 -w n2)
runs "$kept"

# ---- States and limits of a partition.

part gpu State=DOWN
waits PartitionDown --gres=gpu:1
check_eq "a job that runs in a partition that is down" RUNNING \
	"$(job_state "$kept")"
ok partition-down
other=$(sleeper -p small,gpu --gres=gpu:1)
runs "$other"
check_eq "partition of it" small "$(job_field "$other" Partition)"
scancel "$other"
ok one-of-two-partitions-is-down
part gpu State=UP
runs "$last"
ok partition-up
part gpu State=DRAIN
refused --gres=gpu:1
ok partition-drain-refuses
part gpu State=INACTIVE
refused --gres=gpu:1
ok partition-inactive-refuses
part gpu State=UP
scancel "$last"
part gpu MaxTime=10
waits PartitionTimeLimit --gres=gpu:1 -t 20
other=$(sleeper -p gpu,small --gres=gpu:1 -t 20)
runs "$other"
check_eq "partition of it" small "$(job_field "$other" Partition)"
scancel "$other"
ok one-of-two-partitions-has-a-MaxTime
scontrol update JobId="$last" TimeLimit=5
runs "$last"
ok partition-MaxTime
scancel "$last"
part gpu MaxTime=INFINITE MaxNodes=1
waits PartitionNodeLimit --gres=gpu:1 -N2
part gpu MaxNodes=UNLIMITED
runs "$last"
ok partition-MaxNodes
scancel "$last"
part gpu AllowGroups=games
last=$(as_other sbatch --parsable \
	-o /dev/null --chdir=/ --gres=gpu:1 --wrap 'sleep 600')
runs "$last"
scancel "$last"
part gpu AllowGroups=ALL
ok partition-AllowGroups
part gpu Nodes=n[1-2]
waits 'Lease: *' -N2 --gres=gpu:2
first=$last
part gpu Nodes=n[1-3]
runs "$first"
check_eq "nodes of it" 'n[1,3]' "$(job_field "$first" NodeList)"
ok partition-gets-nodes
scancel "$first"
scontrol create PartitionName=other Nodes=n[1-2] State=UP
refused -p other --gres=gpu:1
grep -q 'leased through another partition' "$CLUSTER_DIR/out/refused"
cpu=$(sleeper -p other)
runs "$cpu"
scancel "$cpu"
ok new-partition-does-not-reach-leased-GPUs
moved=$(sleeper -p small --gres=gpu:1)
runs "$moved"
scancel "$moved"
scontrol delete PartitionName=other
ok partition-is-deleted

# ---- slurmctld.

lease=$(lease_of "$kept")
[[ $lease ]] || fail "sfair knows no lease of $kept"
scontrol reconfigure
sleep 2
answered() { [[ $(lease_of "$kept" 2>/dev/null) ]]; }
wait_for 30 answered
check_eq "lease after scontrol reconfigure" "$lease" "$(lease_of "$kept")"
ok reconfigure-in-mid-lease
scontrol shutdown slurmctld
gone() { ! kill -0 "$(<"$CLUSTER_DIR/pids/slurmctld")" 2>/dev/null; }
wait_for 30 gone
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 30 answered
check_eq "lease after scontrol shutdown" "$lease" "$(lease_of "$kept")"
check_eq "restarts of the job" 0 "$(job_field "$kept" Restarts)"
ok shutdown-and-start-in-mid-lease

# ---- Nodes that go and come.

on3=$(sleeper --gres=gpu:1 -w n3)
runs "$on3"
"$live_lib/cluster" stop "$CLUSTER_DIR" n3
cp "$CLUSTER_DIR/etc/slurm.conf" "$CLUSTER_DIR/etc/before"
sed -i '/^NodeName=n3 /d;s/n\[1-3\]/n[1-2]/;/^PartitionName=small/d' \
	"$CLUSTER_DIR/etc/slurm.conf"
restart_slurmctld
check "the node is still known" test -z "$(sinfo -h -n n3 -o %N)"
not_running() { [[ $(job_state "$on3") != RUNNING ]]; }
wait_for 30 not_running
here=$(sleeper --gres=gpu:1 -w n1)
runs "$here"
check_eq "a job on another node" RUNNING "$(job_state "$kept")"
ok node-and-partition-are-removed
mv "$CLUSTER_DIR/etc/before" "$CLUSTER_DIR/etc/slurm.conf"
restart_slurmctld
"$live_lib/cluster" start "$CLUSTER_DIR" n3
wait_for 30 node_is n3 idle
again=$(sleeper --gres=gpu:2 -w n3)
runs "$again"
ok node-and-partition-are-added
scancel "$again" "$here"

# ---- GPUs that vanish: Slurm drains the node and names it, the rest works on.

sed -i '/NodeName=n1 /{s/nvidia\[0-1\]/nvidia0/;/nvidia\[1-1\]/d}' \
	"$CLUSTER_DIR/etc/gres.conf"
"$live_lib/cluster" stop "$CLUSTER_DIR" n1
"$live_lib/cluster" start "$CLUSTER_DIR" n1
named() { sinfo -R -h -n n1 -o %E | grep >/dev/null 'gres/gpu count'; }
wait_for 30 named
waits ReqNodeNotAvail --gres=gpu:2 -w n1
lone=$last
rest=$(sleeper --gres=gpu:2 -w n3)
runs "$rest"
check_eq "a job on another node" RUNNING "$(job_state "$kept")"
ok vanished-gpus-drain-their-node-only
"$live_lib/cluster" gres "$CLUSTER_DIR"
"$live_lib/cluster" stop "$CLUSTER_DIR" n1
"$live_lib/cluster" start "$CLUSTER_DIR" n1
back() {
	scontrol update NodeName=n1 State=RESUME 2>/dev/null
	job_is "$lone" RUNNING
}
wait_for 40 back
ok gpus-come-back
check_eq "restarts of a job that saw all of it" 0 "$(job_field "$kept" Restarts)"
ok a-lease-goes-on-through-all-of-it
# While partition small was gone, the log named it.
check "the log does not name the partition" grep -q small <<<"$(errors_of_ours)"
check_eq "other errors of ours in the log" '' \
	"$(errors_of_ours | sed '/small/d')"
ok missing-partition-of-a-pool-is-named
