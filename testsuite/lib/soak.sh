# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures slurmctld's memory while jobs come and go under leases of two seconds. Some
# jobs end by themselves, some are requeued, checkpoint, are held or cancelled, and
# some are not managed by the plugin. sfair is run, and slurm.conf is read again.
#
#	. "$(dirname "$0")/../lib/soak.sh"
#	soak ROUNDS EVERY BYTES [RESIDENT [--stock]]
#
# fails if memory grows by more than BYTES malloced, or RESIDENT bytes, for each job;
# soak-judge defines the growth. After EVERY rounds slurmctld is left alone until it
# has forgotten all jobs, so that its memory can be compared. These figures go to
# $SOAK_CSV [a temporary file]. With --stock plain Slurm does the same jobs.
# shellcheck source=testsuite/lib/live.sh
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"

soak() {
	local rounds=$1 every=$2 bytes=$3 resident=${4-inf} csv
	shift $(($# < 4 ? $# : 4))
	soak_cluster "$@"
	csv=${SOAK_CSV:-$CLUSTER_DIR/soak.csv}
	echo "round,sec,jobs,malloced,rss" >"$csv"
	for ((round = 1; round <= rounds; round++)); do
		soak_round
		((round % every)) || soak_line >>"$csv"
	done
	[[ ${ASTRAEA_CHECKER-} ]] ||
		"$live_lib/soak-judge" --bytes "$bytes" \
			--resident "$resident" "$csv"
}

# Starts the cluster. Without thread caches, the memory malloced is the memory in use;
# with few arenas, each soon has room for the largest messages. Jobs are forgotten
# soon after they end.
soak_cluster() {
	local conf
	soak_dir=$(mktemp -d)
	conf=$soak_dir/astraea.conf
	cat >"$conf" <<-EOT
		Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=2 CheckpointGrace=1
	EOT
	gcc -O2 -shared -fPIC -o "$soak_dir/malloced.so" "$live_lib/malloced.c"
	export SLURMCTLD_PRELOAD=$soak_dir/malloced.so
	export MALLOCED=$soak_dir/malloced
	export GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=2
	start_cluster --nodes 2 --gpus 8 --astraea "$conf" \
		--slurm MinJobAge=2 "$@"
	unset GLIBC_TUNABLES
	stock='' jobs=0 soak_first=0
	[[ " $* " != *" --stock "* ]] || stock=1
	[[ $stock ]] || wait_for 30 eval 'sfair tenant >/dev/null 2>&1'
}

# Bounds the number of jobs at a time, which would be higher on a slow machine.
few_jobs() { (($(squeue -h -r -o %i | wc -l) < 20)); }
no_jobs() { [[ ! $(squeue -h -t all -o %i) ]]; }

# task SECONDS: print a job's script, which ends in its third run at the latest. In
# every third round it checkpoints at the signal.
task() {
	((round % 3)) || echo "trap 'exit 85' USR1"
	echo "[ \${SLURM_RESTART_COUNT:-0} -ge 2 ] || { sleep $1 & wait; }"
}

soak_round() {
	local id seconds=0.$((round % 10))
	((round % 4)) || seconds=3
	id=$(submit --signal=USR1 --requeue --array=1-3 \
		--gpus=$((1 + round % 4)) --wrap "$(task "$seconds")")
	submit -p cpu -n1 --wrap "sleep 0.$((round % 10))" >/dev/null
	jobs=$((jobs + 4))
	case $((round % 5)) in # the job may have ended by then
	0) scancel "${id}_2" || true ;;
	1) { scontrol uhold "${id}_3" && scontrol release "${id}_3"; } || true ;;
	2) [[ $stock ]] || soak_ask "$id" ;;
	3) scontrol update jobid="$id" timelimit=10 || true ;;
	esac
	((round % 20)) || scontrol reconfigure
	wait_for 120 few_jobs
}

soak_ask() {
	sfair job >/dev/null
	sfair tenant --json >/dev/null
	sfair why "$1" >/dev/null 2>&1 || true # it may have ended
	sprio >/dev/null
}

# Prints a row with the least memory malloced within a second. If that is more than in
# the first row, it looks for half a minute: messages take some 72 KiB each, and on a
# busy machine not all are gone within a second.
soak_line() {
	local pid least='' rss tenths=0
	wait_for 120 no_jobs
	pid=$(<"$CLUSTER_DIR/pids/slurmctld")
	while ((tenths++ < 10)) ||
		((tenths < 300 && soak_first && least > soak_first + 4096)); do
		sleep 0.1
		least=$(soak_least "$least")
	done
	((soak_first)) || soak_first=$least
	rss=$(awk '/^Rss:/ { print $2 * 1024 }' "/proc/$pid/smaps_rollup")
	echo "$round,$SECONDS,$jobs,$least,$rss"
}

# soak_least BYTES: print BYTES, or the memory malloced now if that is less.
soak_least() {
	local malloced
	malloced=$(<"$MALLOCED.$pid")
	malloced=${malloced%% *}
	echo "$((${1:-malloced} < malloced ? ${1:-malloced} : malloced))"
}
