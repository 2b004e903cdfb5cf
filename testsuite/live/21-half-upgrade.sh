#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plugins stand aside if they cannot read slurmctld's configuration, as they were built
# with another layout of it, and if their files are of two builds. With the right build
# the leases go on.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/aside.sh
. "$(dirname "$0")/../lib/aside.sh"
aside_cluster wrong-half

# ---- Variables: nothing of the configuration can be read, only the log tells.

begin_with "$(wrong \
	slurm_conf_t 'before:cluster_name:uint64_t wrong;')"
check "slurm_conf: $(said 'stands aside')" says \
	'stands aside.* slurm_conf has [0-9]+ bytes in slurmctld and [0-9]+ here'
id=$(submit --gres=gpu:1 --wrap true)
wait_for 20 job_is "$id" COMPLETED

# ---- Half an upgrade: files of two builds, and one from before builds were told.

other=$CLUSTER_DIR/other
half() { # FILE SED WORDS
	local id
	rm -rf "$other"
	mkdir "$other"
	cp "$build"/*.so "$other"
	LC_ALL=C sed -i "$2" "$other/$1"
	begin_with "$other"
	check "$1 of another build: $(said astraea:)" says "stands aside.* $3"
	wait_for 20 answers
	check "sfair diag: $(aside)" grep -qx "$3" <(aside)
	id=$(submit --gres=gpu:1 --wrap true)
	wait_for 20 job_is "$id" COMPLETED
	check_eq "leased before" RUNNING "$(job_state "$leased")"
}
another='s/astraea-build:[0-9a-f]*/astraea-build:0123456789abcdef/'
before='s/astra_plugin_stamp/astra_plugin_stomp/'
of='is of another build than libastraea.so'
half sched_astraea.so "$another" "sched_astraea.so $of"
half burst_buffer_astraea.so "$before" "burst_buffer_astraea.so $of"
half libastraea.so "$another" "[a-z_]*.so $of"
ok half-an-upgrade-stands-aside

# ---- And back: the lease goes on where it was.

begin_with "$build"
wait_for 20 says "structures are as expected"
wait_for 20 answers
check_eq "sfair diag of the right build" "" "$(aside)"
id=$(submit --gres=gpu:1 --wrap true)
wait_for 20 job_is "$id" COMPLETED
check_eq "started by whom" 1 "$(said "astraea: start JobId=$id " | wc -l)"
check_eq "leased before all of it" RUNNING "$(job_state "$leased")"
rm -rf "$build-wrong-half"
