#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Racks are the leaf switches of topology.conf: an auction gives a job of several
# nodes GPUs in one rack, though others are free before them, and again after
# the switches were moved. What jobs say of their iterations becomes a slowdown by
# how far apart GPUs are, for all jobs of an app. Slots are by sockets, or links.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis RoundInterval=1 LeaseTerm=600
EOT
start_cluster --nodes 8 --gpus 4 --racks 4 --astraea "$conf" \
	--node 'n4 SocketsPerBoard=2 CoresPerSocket=16'
rm -f "$conf"
check_eq "the switches" "r1 r2 r3 r4 rc top" "$(scontrol show topology |
	sed -n 's/^SwitchName=\([^ ]*\).*/\1/p' | sort | xargs)"

# nodes_of ID: of a running job.
nodes_of() {
	wait_for 30 job_is "$1" RUNNING
	job_field "$1" NodeList
}
# takes NODE...: what stays all the time
takes() {
	local node id
	for node in "$@"; do
		id=$(submit --gres=gpu:4 -w "$node" --wrap 'exec sleep 1000')
		check_eq "$node is taken" "$node" "$(nodes_of "$id")"
	done
}
pair=(-N2 --gpus-per-node=4 --wrap 'exec sleep 1000')

takes n1 n3 n6
id=$(submit "${pair[@]}")
check_eq "two nodes where one rack is free" 'n[7-8]' "$(nodes_of "$id")"
ok racks
scancel "$id"

# The same rack holds other nodes now.
sed -i -e 's/^\(SwitchName=r1\) .*/\1 Nodes=n[1,7]/' \
	-e 's/^\(SwitchName=r4\) .*/\1 Nodes=n[2,8]/' \
	"$CLUSTER_DIR/etc/topology.conf"
scontrol reconfigure
wait_for 30 job_is "$id" CANCELLED
id=$(submit "${pair[@]}")
check_eq "two nodes after the switches were moved" 'n[2,8]' \
	"$(nodes_of "$id")"
scancel "$id"
wait_for 30 job_is "$id" CANCELLED

# 2 GPUs * 0.5 s in one slot, 4 GPUs * 0.5 s across racks: twice as long.
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1
says="import sfair, time
while True:
    sfair.progress(1, 1000, iter_sec=0.5)
    time.sleep(1)"
trains() { submit --app=train "$@" --wrap "exec python3 -c '$says'"; }
near=$(trains --gres=gpu:2 -w n5)
far=$(trains -N2 --gpus-per-node=2 -w n2,n4)
column() { sfair job -j "$1" -nP -o "$2"; }
is() { [[ $(column "$1" "$2") == "$3" ]]; }
wait_for 30 is "$near" Level,Slowdown 'slot|1,1,1.1,2'
wait_for 30 is "$far" Level,Slowdown 'cross|1,1,1.1,2'
sfair why "$far" | tr '\n' ' ' | grep >/dev/null 'measured (slot, cross)' ||
	fail "sfair why: $(sfair why "$far")"

# A slot is the GPUs of one socket on n4, linked pairs on n5.
scancel "$near" "$far"
gres() {
	echo "NodeName=$1 Name=gpu Type=a100 File=$CLUSTER_DIR/dev/nvidia$2 $3"
}
gres_conf=$CLUSTER_DIR/etc/gres.conf
sed -i '/^NodeName=n[45] /d' "$gres_conf"
{
	gres n4 '[0-2]' Cores=0-15
	gres n4 3 Cores=16-31
	gres n5 0 Links=-1,4,0,0
	gres n5 1 Links=4,-1,0,0
	gres n5 2 Links=0,0,-1,4
	gres n5 3 Links=0,0,4,-1
} >>"$gres_conf"
for node in n4 n5; do
	"${live_lib:?}/cluster" stop "$CLUSTER_DIR" $node
	"$live_lib/cluster" start "$CLUSTER_DIR" $node
done
restart_slurmctld # else it keeps what it knew of their GPUs
level() {
	local id
	id=$(submit --gres=gpu:"$2" -w "$1" --wrap 'exec sleep 1000')
	wait_for 30 job_is "$id" RUNNING
	wait_for 30 is "$id" Level "$3"
	scancel "$id"
	wait_for 30 job_is "$id" CANCELLED
}
level n4 1 slot
level n4 2 machine
level n5 2 slot
level n5 3 machine
