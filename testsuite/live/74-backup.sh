#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A backup controller takes over when the primary is killed, and hands back:
# leases end when they were to end, GPU time goes on, jobs are taken back and
# started by whoever is in control, and none runs twice at once. The two share
# StateSaveLocation and nothing else: the backup has a host name, an address
# and a shared memory of its own.
. "$(dirname "$0")/../lib/live.sh"

unshare --uts --mount true 2>/dev/null || skip "no namespaces here"
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 LeaseMax=600 CheckpointGrace=4
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$conf" --slurm SlurmctldTimeout=4 \
	--slurm CommunicationParameters=NoCtldInAddrAny
rm -f "$conf"
etc=$CLUSTER_DIR/etc
mkdir -m 1777 "$CLUSTER_DIR/out/runs"

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
echo "SlurmctldHost=second(127.0.0.2)" >>"$etc/slurm.conf"
sed "s,^\(SlurmctldPidFile\)=.*,\1=$CLUSTER_DIR/run/second.pid,
	s,^\(SlurmctldLogFile\)=.*,\1=$CLUSTER_DIR/log/second.log," \
	"$etc/slurm.conf" >"$etc/second.conf"
{ cat /etc/hosts && echo "127.0.0.2 second"; } >"$etc/hosts"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
ASTRAEA_CLUSTER_OF=$CLUSTER_DIR SLURM_CONF=$etc/second.conf \
	env -C "$CLUSTER_DIR/run" setsid unshare --uts --mount sh -c '
	hostname second
	mount -t tmpfs shm /dev/shm
	mount --bind "$0" /etc/hosts
	exec slurmctld -D' "$etc/hosts" \
	</dev/null >"$CLUSTER_DIR/log/second.out" 2>&1 &
second_is() { scontrol ping | grep -q "backup.*second is $1"; }
primary_is() { scontrol ping | grep -q "primary.* is $1"; }
wait_for 40 second_is UP
# It looks after the primary once it has seen it for a while.
sleep 5

# Two whose leases end every few seconds, and one with a long lease.
long=$(submit --gres=gpu:2 --lease=9:00 --wrap 'date +begin; sleep 1000')
job="exec python3 $top/testsuite/faults/job.py $CLUSTER_DIR/out/journal"
one=$(submit -J one --gres=gpu:2 --signal=USR1 --wrap "$job one 900 ckpt")
two=$(submit -J two --gres=gpu:2 --wrap "$job two 900 plain")
wait_for 20 job_is "$long" RUNNING

lease_of() {
	sfair job -j "$long" --json 2>/dev/null | python3 -c '
import json, sys
for j in json.load(sys.stdin)["jobs"]:
    print(int(j["start_sec"] or 0), int(j["lease_end_sec"] or 0))'
}
has_lease() { [[ $(lease_of) == [1-9]* ]]; }
wait_for 20 has_lease
lease=$(lease_of)
# GPU seconds of the long job: 2 a second, whoever counts.
charged() {
	sfair job -j "$long" --json | python3 -c '
import json, sys
reply = json.load(sys.stdin)
job = reply["jobs"][0]
off = job["alloc_gpu_sec"] - 2 * (reply["time_sec"] - job["start_sec"])
sys.exit(abs(off) > 2)'
}
swaps() {
	echo $(($(job_field "$one" Restarts) + $(job_field "$two" Restarts)))
}
# A job that was just being requeued when slurmctld was killed has Slurm's own
# two minutes to wait.
more_swaps() {
	local id
	for id in "$one" "$two"; do
		[[ $(job_reason "$id") != BeginTime ]] ||
			scontrol update JobId="$id" StartTime=now
	done
	(($(swaps) > $1))
}
goes_on() {
	local before
	wait_for 40 has_lease
	check_eq "$1: the long lease" "$lease" "$(lease_of)"
	wait_for 10 charged
	check_eq "$1: the long job" "0 RUNNING" \
		"$(job_field "$long" Restarts) $(job_state "$long")"
	before=$(swaps)
	wait_for 60 more_swaps $((before + 1))
	! grep conflict "$CLUSTER_DIR/out/journal" || fail "$1: two runs at once"
}
wait_for 60 more_swaps 0
goes_on "before"

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
in_control() { squeue -h >/dev/null 2>&1 && primary_is DOWN; }
wait_for 60 in_control
goes_on "under the backup"

"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 40 primary_is UP
goes_on "under the primary again"

# The same process takes over a second time, by order.
scontrol takeover
wait_for 60 in_control
goes_on "after scontrol takeover"

scancel "$one" "$two"
after=$(submit --gres=gpu:2 --wrap true)
wait_for 40 job_is "$after" COMPLETED
check_eq "runs of the long job" 1 "$(job_log "$long" | grep -c begin)"
