# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of jobs that criu dumps at the ends of leases: source it after
# live.sh.
#
#   dump_cluster		start two nodes of 2 GPUs, with short leases, and find
#				criu; changes to the folder of the jobs' output, $out.
#				Skips if there is no criu 4.0 and none can be had, or
#				if users may have no namespaces
#   submit_in SBATCH_ARGUMENT...	submit a job of one GPU in $out that criu dumps
#   rival			submit a job of all GPUs that ends at once
#   runs_again N JOB		whether the job runs, and was requeued N times
#   all COMMAND...		whether the command succeeds for each job of $ids
#   go_on			wait until each of $ids has written another line

# shellcheck source=testsuite/lib/criu.sh
. "${BASH_SOURCE[0]%/*}/criu.sh"
declare -A ids lines

dump_cluster() {
	local conf
	conf=$(mktemp)
	cat >"$conf" <<-EOT
		NoLeaseGPUs=none
		Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=9 CheckpointGrace=8
	EOT
	start_cluster --nodes 2 --gpus 2 --astraea "$conf"
	rm -f "$conf"
	find_criu "$CLUSTER_DIR/criu" || skip "no criu 4.0, and none to be had"
	# shellcheck disable=SC2154 # of live.sh
	"${other_user[@]}" unshare --user --map-current-user --pid --fork \
		--mount-proc true 2>/dev/null ||
		skip "users may have no namespaces of their own"
	out=$CLUSTER_DIR/out
	chmod 777 "$out"
	cd "$out" || exit
}

submit_in() {
	submit --gres=gpu:1 -N1 --requeue --signal=B:USR1@60 \
		--checkpoint-with=criu --chdir="$out" "$@"
}
rival() {
	submit --uid=games --no-requeue -N2 --gres=gpu:2 --wrap 'exec sleep 0.1'
}
runs_again() { job_is "$2" RUNNING && [[ $(job_field "$2" Restarts) == "$1" ]]; }

all() {
	local id
	for id in "${ids[@]}"; do "$@" "$id" || return 1; done
}
count() { wc -l 2>/dev/null <"$1" || echo 0; }
has_more() { (($(count "$1") > lines[$1])); }
go_on() {
	local id
	for id in "${ids[@]}"; do lines[$id]=$(count "$id"); done
	wait_for 30 all has_more
}
