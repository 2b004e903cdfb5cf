#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What astraea.conf and sacctmgr have wrong is named, once in the log and in
# sfair diag, and the rest works on.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=60
	CheckpointGrace=2
	Pool=gpu Partitions=gpu,later
	Pool=empty Partitions=nowhere
	Tenant=zero Users=root Weight=0
	Tenant=one Accounts=x
	Tenant=two Accounts=y,x
EOT
start_cluster --nodes 2 --gpus 2 --astraea "$conf"
file=$CLUSTER_DIR/etc/astraea.conf
rm -f "$conf"

warned() { sfair diag 2>/dev/null | grep -qE "Warning .*$1"; }
unwarned() { ! sfair diag | grep -qE "Warning .*$1"; }
logged() { # PATTERN COUNT
	check_eq "lines of the log with $1" "$2" \
		"$(grep -cE "$1" "$CLUSTER_DIR/log/slurmctld.log")"
}
is_of() { [[ $(sfair job -nP -j "$1" --format=Tenant 2>/dev/null) == "$2" ]]; }

# ---- From the start: partitions that are not there, two tenants with one
# account, a weight of zero; the jobs of the other partition run.
wait_for 30 warned 'line 4: Partitions=gpu,later: there is no partition later'
wait_for 5 warned 'line 5: Partitions=nowhere: there is no partition nowhere'
wait_for 5 warned "Tenant=two: account x is tenant one's already"
wait_for 5 warned 'tenant zero has weight 0'
sfair diag | grep Warning
id=$(submit --gres=gpu:1 --wrap 'true')
wait_for 30 job_is "$id" COMPLETED
id=$(submit -A x --gres=gpu:1 --wrap 'sleep 600')
wait_for 10 is_of "$id" one
scancel "$id"

# ---- A partition that comes later is in from then on.
scontrol create partition=later nodes=n1 state=up
wait_for 10 unwarned 'partition later'
id=$(submit -p later --gres=gpu:1 --wrap 'env | grep ASTRAEA_POOL')
wait_for 20 job_is "$id" COMPLETED
check_eq "pool of the partition" ASTRAEA_POOL=gpu "$(job_log "$id")"
logged 'line 4: Partitions=gpu,later: there is no partition later' 1

# ---- A bad file is told once, also at the start.
echo 'Pool=gpu Partitions=gpu LeaseTerm=never' >"$file"
scontrol reconfigure
wait_for 10 ctld_log 'line 1: LeaseTerm=never: .*; the old values stay'
sleep 2.5
logged 'line 1: LeaseTerm=never: ' 1
check "sfair diag has the error" grep -q 'LeaseTerm=never' <<<"$(sfair diag)"
id=$(submit --gres=gpu:1 --wrap 'true')
wait_for 20 job_is "$id" COMPLETED
restart_slurmctld
sleep 2.5
logged 'line 1: LeaseTerm=never: .*; no job is managed until this is mended' 1
check "sfair diag has no error after a start with it" \
	grep -q 'LeaseTerm=never' <<<"$(sfair diag)"

# ---- In an included file it has that file's name and line.
printf '# comment\nGPUWeight=a100:0\n' >"$CLUSTER_DIR/etc/more.conf"
printf 'Pool=gpu Partitions=gpu\nInclude more.conf\n' >"$file"
scontrol reconfigure
wait_for 10 ctld_log \
	'etc/more.conf: line 2: GPUWeight=a100:0: the weight of a100 is to be'
printf 'Pool=gpu Partitions=gpu RoundInterval=1\nSocket=astraea.sock\n' >"$file"
scontrol reconfigure
wait_for 10 ctld_log 'line 2: Socket=astraea.sock: a path that begins with /'
sed -i '2d' "$file"
scontrol reconfigure
mended() { ! grep -q 'Socket=' <<<"$(sfair diag)"; }
wait_for 10 mended
id=$(submit --gres=gpu:1 --wrap 'env | grep ASTRAEA_POOL')
wait_for 30 job_is "$id" COMPLETED
check_eq "pool of the mended file" ASTRAEA_POOL=gpu "$(job_log "$id")"

# ---- The state of a later release is kept, not lost.
"${live_lib:?}/cluster" stop "$CLUSTER_DIR" slurmctld
state=$CLUSTER_DIR/state/astraea.gpu
python3 - "$state" <<-'EOT'
	import struct, sys, zlib
	data = open(sys.argv[1], "rb").read()
	body = struct.pack("<I", 99) + data[28:]
	head = data[:16]
	open(sys.argv[1], "wb").write(
	    head + struct.pack("<II", zlib.crc32(body, zlib.crc32(head)), 0) + body)
EOT
cp "$state" "$CLUSTER_DIR/out/later"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 10 ctld_log \
	'pool gpu: .*cannot be used: .*version 99, this release reads 1 to 3'
id=$(submit --gres=gpu:1 --wrap true)
wait_for 30 job_is "$id" COMPLETED
check "the later release's state is kept as it was" \
	cmp "$CLUSTER_DIR/out/later" "$state.kept"
