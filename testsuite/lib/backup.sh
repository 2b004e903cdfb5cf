# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A cluster with a backup controller. The two controllers share only
# StateSaveLocation: the backup has its own host name, address and shared memory. If
# ASTRAEA_OTHER_BUILD names a build folder, the backup has that folder's plugins, of
# another version.
#
#	. "$(dirname "$0")/../lib/backup.sh"
#	backup_cluster TERM GRACE	# seconds
#	backup_jobs
#	goes_on "before" 2
#
#   backup_cluster TERM GRACE	start it; leases last TERM, a grace GRACE seconds
#   backup_jobs		submit $one and $two, which take turns, and $long with
#				a long lease, $lease
#   primary_is UP|DOWN		whether scontrol ping says so
#   in_control			whether the backup answers instead of the primary
#   in_grace			whether a job has been signalled and still runs
#   more_begun N		whether jobs were started more than N times
#   goes_on WHEN N		fail unless the long lease is unchanged, its GPU
#				time is counted, and $one and $two take N turns,
#				with GPUs and never both at once
# shellcheck source=testsuite/lib/live.sh
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"

backup_cluster() {
	local conf daemon more=()
	backup_host=(unshare --uts --mount)
	# In a chroot / cannot be made private, and need not be if nothing is shared.
	"${backup_host[@]}" true 2>/dev/null ||
		grep -q ' shared:' /proc/self/mountinfo ||
		backup_host+=(--propagation unchanged)
	"${backup_host[@]}" true 2>/dev/null || skip "no namespaces here"
	conf=$(mktemp)
	cat >"$conf" <<-EOT
		Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=$1 LeaseMax=600 CheckpointGrace=$2
	EOT
	# For a version that does not know whether a job is in its grace.
	[[ ! ${ASTRAEA_OTHER_BUILD-} ]] || more=(--slurm RequeueExit=85)
	start_cluster --nodes 1 --gpus 4 --astraea "$conf" "${more[@]}" \
		--slurm SlurmctldTimeout=4 \
		--slurm CommunicationParameters=NoCtldInAddrAny
	rm -f "$conf"
	mkdir -m 1777 "$CLUSTER_DIR/out/runs"
	journal=$CLUSTER_DIR/out/journal
	# All daemons must know both controllers.
	for daemon in slurmctld n1 c1; do
		"$live_lib/cluster" stop "$CLUSTER_DIR" $daemon
	done
	# Start the primary first: from 25.11 on, each would wait for the other.
	backup_configure
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
	backup_start
	for daemon in n1 c1; do
		"$live_lib/cluster" start "$CLUSTER_DIR" $daemon
	done
	wait_for 40 second_is UP
}

backup_configure() {
	local etc=$CLUSTER_DIR/etc plugins=$CLUSTER_DIR/astraea
	if [[ ${ASTRAEA_OTHER_BUILD-} ]]; then
		plugins=$CLUSTER_DIR/other
		mkdir "$plugins"
		install -t "$plugins" "$ASTRAEA_OTHER_BUILD"/*.so
	fi
	echo "SlurmctldHost=second(127.0.0.2)" >>"$etc/slurm.conf"
	sed "s,^\(SlurmctldPidFile\)=.*,\1=$CLUSTER_DIR/run/second.pid,
		s,^\(SlurmctldLogFile\)=.*,\1=$CLUSTER_DIR/log/second.log,
		s,^PluginDir=$CLUSTER_DIR/astraea,PluginDir=$plugins," \
		"$etc/slurm.conf" >"$etc/second.conf"
	{ cat /etc/hosts && echo "127.0.0.2 second"; } >"$etc/hosts"
}

backup_start() {
	local etc=$CLUSTER_DIR/etc checker=()
	checker_command "$CLUSTER_DIR"
	ASTRAEA_CLUSTER_OF=$CLUSTER_DIR SLURM_CONF=$etc/second.conf \
		env -C "$CLUSTER_DIR/run" setsid "${backup_host[@]}" sh -c '
		hostname second
		mount -t tmpfs shm /dev/shm
		mount --bind "$0" /etc/hosts
		exec "$@"' "$etc/hosts" "${checker[@]}" slurmctld -D \
		</dev/null >"$CLUSTER_DIR/log/second.out" 2>&1 &
}

second_is() { scontrol ping | grep >/dev/null "backup.*second is $1"; }
primary_is() { scontrol ping | grep >/dev/null "primary.* is $1"; }
in_control() { squeue -h >/dev/null 2>&1 && primary_is DOWN; }

backup_jobs() {
	local job="exec python3 $top/testsuite/faults/job.py $journal"
	long=$(submit --gres=gpu:2 --lease=9:00 \
		--wrap 'date +begin; sleep 1000')
	one=$(submit -J one --gres=gpu:2 --signal=USR1 \
		--wrap "$job one 900 slow")
	two=$(submit -J two --gres=gpu:2 --wrap "$job two 900 plain")
	wait_for 20 job_is "$long" RUNNING
	wait_for 20 has_lease
	lease=$(lease_of)
}

lease_of() {
	sfair job -j "$long" --json 2>/dev/null | python3 -c '
import json, sys
for j in json.load(sys.stdin)["jobs"]:
    print(int(j["start_sec"] or 0), int(j["lease_end_sec"] or 0))' 2>/dev/null
}
in_grace() { sfair lease --json 2>/dev/null | grep >/dev/null '"grace"'; }
has_lease() { [[ $(lease_of) == [1-9]* ]]; }
# Whether the long job was charged its 2 GPUs all the time, under both controllers.
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
# Skips the two minutes that Slurm makes a job wait if slurmctld was killed while the
# job was being requeued.
more_swaps() {
	local id
	for id in "$one" "$two"; do
		[[ $(job_reason "$id") != BeginTime ]] ||
			scontrol update JobId="$id" StartTime=now
	done
	(($(swaps) > $1))
}
begun() { [[ -e $journal ]] && grep -c ' start ' "$journal"; }
more_begun() { (($(begun) > $1)); }

goes_on() {
	local before runs
	wait_for 40 has_lease
	# An older version cannot read a newer one's state, and starts without it.
	[[ ! ${ASTRAEA_OTHER_BUILD-} ]] || lease=$(lease_of)
	check_eq "$1: the long lease" "$lease" "$(lease_of)"
	[[ ${ASTRAEA_OTHER_BUILD-} ]] || wait_for 20 charged
	check_eq "$1: the long job" "0 RUNNING" \
		"$(job_field "$long" Restarts) $(job_state "$long")"
	before=$(swaps) runs=$(begun)
	wait_for 60 more_swaps $((before + $2 - 1))
	wait_for 60 more_begun $((runs + $2 - 1))
	check_eq "$1: jobs that ended" "" "$(squeue -h -o %i -t \
		FAILED,NODE_FAIL,CANCELLED,COMPLETED -j "$one,$two,$long")"
	! grep conflict "$journal" || fail "$1: two runs at once"
	! grep 'start n1:$' "$journal" || fail "$1: a run without GPUs"
}
