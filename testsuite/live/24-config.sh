#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A bad astraea.conf keeps the old values, and the log names line, key and
# value.
. "$(dirname "$0")/../lib/live.sh"

start_cluster --nodes 1 --gpus 2
file=$CLUSTER_DIR/etc/astraea.conf
log=$CLUSTER_DIR/log/slurmctld.log

# refused PATTERN LINE...: this file is refused with such a line.
refused() {
	local pattern=$1
	shift
	# It may still be read for the reconfigure before, and is told of once.
	: >"$log"
	printf '%s\n' "$@" >"$file"
	scontrol reconfigure
	wait_for 20 ctld_log "astraea: .*$pattern.*the old values stay"
}

pool='Pool=gpu Partitions=gpu'
refused 'line 2: LeaseTerm=abc: ' "$pool" LeaseTerm=abc
refused 'line 3: Foo=1: there is no such key' '# comment' "$pool" Foo=1
refused 'line 1: Nodes=3: there is no such key on a line of Pool' \
	"$pool Nodes=3"
refused 'line 1: Policy=foo: allowed: ' "$pool Policy=foo"
refused 'line 1: Pool=gpu: .*CheckpointGrace=60.*LeaseTerm=3' \
	"$pool LeaseTerm=3"
refused 'line 2: Pool=x: partition gpu is in pool gpu' \
	"$pool" 'Pool=x Partitions=gpu'
refused 'line 2: Pool=gpu: there is another pool' \
	"$pool" 'Pool=gpu Partitions=cpu'
refused 'line 1: Pool=gpu: a pool needs Partitions' Pool=gpu
refused 'line 2: Weight=-1: ' "$pool" 'Tenant=t Users=root Weight=-1'
refused 'line 2: Tenant=t: a tenant needs ' "$pool" 'Tenant=t Weight=2'
refused 'no Pool= line' LeaseTerm=60
refused '"Pool" has no value' Pool
: >"$log"
rm "$file"
scontrol reconfigure
wait_for 20 ctld_log 'astraea.conf: No such file.*the old values stay'

# The lease term that is in force, in seconds.
term_is() {
	[[ $(sfair tenant --json 2>/dev/null | python3 -c '
import json, sys
print(*(int(pool["lease_sec"]) for pool in json.load(sys.stdin)["pools"]))') == "$1" ]]
}

# The old values are still in force, and a good file is taken.
id=$(submit --gres=gpu:1 --wrap 'env | grep ASTRAEA_LEASE_TERM')
wait_for 20 job_is "$id" COMPLETED
check_eq "term of the old file" ASTRAEA_LEASE_TERM=900 "$(job_log "$id")"
echo "$pool LeaseTerm=2:00" >"$file"
scontrol reconfigure
wait_for 20 term_is 120
id=$(submit --gres=gpu:1 --wrap 'env | grep ASTRAEA_LEASE_TERM')
wait_for 20 job_is "$id" COMPLETED
check_eq "term of the new file" ASTRAEA_LEASE_TERM=120 "$(job_log "$id")"

# Files that are not there, or no files, or that include each other, keep
# nobody waiting and end nothing.
refused 'gone.conf: No such file' "$pool" 'Include gone.conf'
refused 'more than 8 files within each other' "$pool" 'Include astraea.conf'
echo Foo=1 >"$CLUSTER_DIR/etc/more.conf"
refused 'more.conf: line 1: Foo=1: there is no such key' "$pool" \
	'Include more.conf'
echo LeaseTerm=long >"$CLUSTER_DIR/etc/more.conf"
refused 'more.conf: line 1: LeaseTerm=long: ' "$pool" 'Include more.conf'
refused 'line 1: TenantLevel=0: ' TenantLevel=0 "$pool"
refused 'line 1: TenantShares=flat: tree or account' TenantShares=flat "$pool"
refused 'line 2: Socket=run/sock: a path that begins with /' "$pool" \
	Socket=run/sock
refused 'line 2: Listen=70000: PORT or ADDRESS:PORT' "$pool" Listen=70000
refused 'line 1: Pool=sock: ' 'Pool=sock Partitions=gpu'
refused 'line 1: Pool=gpu.old: ' 'Pool=gpu.old Partitions=gpu'
: >"$log"
rm "$file"
mkfifo "$file"
scontrol reconfigure
wait_for 20 ctld_log 'astraea.conf: not a file; the old values stay'
rm "$file"
printf '%s \\\n LeaseTerm=2:00\n' "$pool" >"$file"
: >"$log"
scontrol reconfigure
wait_for 20 ctld_log 'reconfigure'
sleep 2
check "two lines that are one are refused" eval \
	'! ctld_log "the old values stay"'

# Jobs of a pool that is no more are Slurm's.
echo "$pool" >"$file"
scontrol reconfigure
export OUT=$CLUSTER_DIR/out
first=$(submit --gres=gpu:2 --no-requeue \
	--wrap 'until [ -e $OUT/go ]; do sleep 0.2; done')
second=$(submit --gres=gpu:2 --wrap 'true')
wait_for 20 job_is "$first" RUNNING
sleep 2
check_eq "the second waits" PENDING "$(job_state "$second")"
echo 'Pool=other Partitions=cpu' >"$file"
scontrol reconfigure
touch "$OUT/go"
wait_for 25 job_is "$second" COMPLETED
check_eq "the first is left alone" COMPLETED "$(job_state "$first")"
echo "$pool" >"$file"
scontrol reconfigure

# No file at the start: no job is managed, slurmctld runs, and mending it is
# enough.
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
rm "$file"
: >"$log"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 20 ctld_log 'no job is managed until this is mended'
idle='the plugin manages no jobs, all are Slurm.s own: .*No such file'
idle() { sfair tenant 2>&1 >/dev/null | grep "warning: $idle" >/dev/null; }
wait_for 20 idle
id=$(submit --gres=gpu:1 --wrap 'sleep 600')
wait_for 20 job_is "$id" RUNNING
check "sfair why says so" grep -q "asks for GPUs .*: $idle" \
	<(sfair why "$id" | tr '\n' ' ')
scancel "$id"
echo "$pool" >"$file"
scontrol reconfigure
wait_for 40 term_is 900
id=$(submit --gres=gpu:1 --wrap 'env | grep ASTRAEA_LEASE_TERM')
wait_for 20 job_is "$id" COMPLETED
check_eq "term of the mended file" ASTRAEA_LEASE_TERM=900 "$(job_log "$id")"

# What is lived with is told.
printf '%s\n' "$pool" Listen=localhost:7000 >"$file"
scontrol reconfigure
words='Warning .*Listen=localhost:7000: the address is no number'
warned() { sfair diag | grep "$words" >/dev/null; }
wait_for 20 warned
