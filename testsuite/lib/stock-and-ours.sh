# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests that change between stock Slurm and the plugins: source it after
# live.sh.
#
#   stock_and_ours	once the cluster is up, write etc/ours, its slurm.conf;
#			etc/alone, with priority/ltgf as our only plugin; and etc/stock
#   change FILE SIGNAL	restart slurmctld with that file; SIGNAL stops it

stock_and_ours() {
	local etc=$CLUSTER_DIR/etc
	cp "$etc/slurm.conf" "$etc/ours"
	grep -v '^\(SchedulerType\|BurstBufferType\|JobSubmitPlugins\)=' \
		"$etc/ours" >"$etc/alone"
	echo 'SchedulerType=sched/backfill' >>"$etc/alone"
	sed 's|^PriorityType=.*|PriorityType=priority/multifactor|' \
		"$etc/alone" >"$etc/stock"
}

change() {
	"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld "$2"
	cp "$CLUSTER_DIR/etc/$1" "$CLUSTER_DIR/etc/slurm.conf"
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
}
