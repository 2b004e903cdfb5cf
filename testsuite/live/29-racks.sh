#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Racks are the leaf switches of topology.conf: an auction gives a job of several
# nodes GPUs in one rack, though others are free before them, and again after
# the switches were moved. What jobs say of their iterations becomes a slowdown by
# how far apart GPUs are, for all jobs of an app.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis RoundInterval=1 LeaseTerm=600
EOT
start_cluster --nodes 8 --gpus 2 --racks 4 --astraea "$conf"
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
		id=$(submit --gres=gpu:2 -w "$node" --wrap 'exec sleep 1000')
		check_eq "$node is taken" "$node" "$(nodes_of "$id")"
	done
}
pair=(-N2 --gpus-per-node=2 --wrap 'exec sleep 1000')

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
export PYTHONPATH=${top:?}/contrib/python PYTHONDONTWRITEBYTECODE=1
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
sfair why "$far" | tr '\n' ' ' | grep -q 'measured (slot, cross)' ||
	fail "sfair why: $(sfair why "$far")"
