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
	Pool=empty Partitions=cpu
	Tenant=zero Users=root Weight=0
	Tenant=one Accounts=x
	Tenant=two Accounts=y,x
EOT
start_cluster --nodes 2 --gpus 2 --astraea "$conf"
file=$CLUSTER_DIR/etc/astraea.conf
rm -f "$conf"

warned() { sfair diag 2>/dev/null | grep -E "Warning .*$1" >/dev/null; }
unwarned() { ! sfair diag | grep -E "Warning .*$1" >/dev/null; }
logged() { # PATTERN COUNT
	check_eq "lines of the log with $1" "$2" \
		"$(grep -cE "$1" "$CLUSTER_DIR/log/slurmctld.log")"
}
is_of() { [[ $(sfair job -nP -j "$1" --format=Tenant 2>/dev/null) == "$2" ]]; }

# ---- From the start: partitions that are not there, two tenants with one
# account, a weight of zero; the jobs of the other partition run.
wait_for 30 warned 'line 4: Partitions=gpu,later: there is no partition later'
wait_for 20 warned "Tenant=two: account x is tenant one's already"
wait_for 20 warned 'tenant zero has weight 0'
sfair diag | grep Warning
id=$(submit --gres=gpu:1 --wrap 'true')
wait_for 30 job_is "$id" COMPLETED
id=$(submit -A x --gres=gpu:1 --wrap 'sleep 600')
wait_for 20 is_of "$id" one
scancel "$id"

# ---- A partition that comes later is in from then on.
scontrol create partition=later nodes=n1 state=up
wait_for 20 unwarned 'partition later'
id=$(submit -p later --gres=gpu:1 --wrap 'env | grep ASTRAEA_POOL')
wait_for 20 job_is "$id" COMPLETED
check_eq "pool of the partition" ASTRAEA_POOL=gpu "$(job_log "$id")"
logged 'line 4: Partitions=gpu,later: there is no partition later' 1

# ---- A bad file is told once, also at the start.
echo 'Pool=gpu Partitions=gpu LeaseTerm=never' >"$file"
scontrol reconfigure
wait_for 20 ctld_log 'line 1: LeaseTerm=never: .*; the old values stay'
sleep 2.5
logged 'line 1: LeaseTerm=never: ' 1
has_error() { sfair diag 2>/dev/null | grep >/dev/null 'LeaseTerm=never'; }
wait_for 20 has_error
id=$(submit --gres=gpu:1 --wrap 'true')
wait_for 20 job_is "$id" COMPLETED
kept='line 1: LeaseTerm=never: .*; the old values stay .the last good file'
# Since 23.11 a reconfigure makes a new slurmctld, too.
told=$(grep -c "$kept" "$CLUSTER_DIR/log/slurmctld.log" || :)
restart_slurmctld
told_again() {
	(($(grep -c "$kept" "$CLUSTER_DIR/log/slurmctld.log") > told))
}
wait_for 20 told_again
sleep 2.5
logged "$kept" $((told + 1))
wait_for 20 has_error

# ---- In an included file it has that file's name and line.
printf '# comment\nGPUWeight=a100:0\n' >"$CLUSTER_DIR/etc/more.conf"
printf 'Pool=gpu Partitions=gpu\nInclude more.conf\n' >"$file"
scontrol reconfigure
wait_for 20 ctld_log \
	'etc/more.conf: line 2: GPUWeight=a100:0: the weight of a100 is to be'
printf 'Pool=gpu Partitions=gpu RoundInterval=1\nSocket=astraea.sock\n' >"$file"
scontrol reconfigure
wait_for 20 ctld_log 'line 2: Socket=astraea.sock: a path that begins with /'
sed -i '2d' "$file"
scontrol reconfigure
mended() { ! grep -q 'Socket=' <<<"$(sfair diag)"; }
wait_for 20 mended
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
wait_for 20 ctld_log \
	'pool gpu: .*cannot be used: .*version 99, this release reads [0-9]+'
id=$(submit --gres=gpu:1 --wrap true)
wait_for 30 job_is "$id" COMPLETED
check "the later release's state is kept as it was" \
	cmp "$CLUSTER_DIR/out/later" "$state.kept"

# ---- Whatever keeps sfair from asking has a message of its own, in one line,
# and says what to do.
socket=$SFAIR_SOCKET
setpriv --reuid 54321 --regid games --clear-groups sfair tenant >/dev/null ||
	fail "a uid without a name is not answered"
alone=(env -u SFAIR_SOCKET -u SFAIR_MUNGE_SOCKET)
complains 'SLURM_CONF=/none: .*: unset it, name the cluster.s slurm.conf, or' \
	"${alone[@]}" SLURM_CONF=/none sfair tenant
chmod 600 "$socket"
complains 'permission denied: ask the administrator' as_other sfair tenant
chmod 666 "$socket"
complains 'is no socket: name the plugin' env SFAIR_SOCKET=/etc/passwd \
	sfair tenant
complains 'munged does not answer: .*start' env SFAIR_MUNGE_SOCKET=/none \
	sfair tenant
python3 - "$CLUSTER_DIR/out/other" <<'EOT' &
import json, socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
for reply in (json.dumps({"astraea": 2, "request": "tenant"}), "HTTP/1.1 400"):
    client = s.accept()[0]
    client.recv(99999)
    client.sendall(struct.pack(">I", len(reply)) + reply.encode())
    client.close()
EOT
exists() { [[ -S $CLUSTER_DIR/out/other ]]; }
wait_for 20 exists
complains "protocol version 2, this sfair 1: use the sfair of the plugin's" \
	env SFAIR_SOCKET="$CLUSTER_DIR/out/other" sfair tenant
complains 'is no message of the astraea plugin' \
	env SFAIR_SOCKET="$CLUSTER_DIR/out/other" sfair tenant
wait $!
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
complains 'no such socket, and slurmctld does not answer: start it' sfair tenant
complains 'and slurmctld does not answer: start it' "${alone[@]}" sfair tenant
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
complains 'nobody answers: slurmctld has stopped, start it .*see its log' sfair tenant
rm -f "$socket"
sed -i -E '/^(SchedulerType|BurstBufferType|PriorityType|JobSubmitPlugins)=/d' \
	"$CLUSTER_DIR/etc/slurm.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
complains 'slurmctld runs without the astraea plugin: set BurstBufferType' \
	sfair tenant
