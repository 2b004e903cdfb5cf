# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of native meanings: source it after live.sh.
#
#   lease_cluster [--needs 'KEY=VALUE...'] [OPTION]...	leases of 5 s with a grace of 3 in partitions
#				gpu and gpu2 of 4 GPUs, others in other; accounts
#				are tenants, big counting 100 times as much as
#				the rest; user games may submit
#   runs ID, says ID REASON	wait until it runs; wait for a reason (a pattern)
#   restarts ID N		wait until it was requeued N times
#   sleeper SBATCH_ARGUMENT...	a job that ends when it is told to
#   take_back ID...		have these jobs' leases not renewed, and wait
#				until each waits again
#   give_back			let them run again
#   cancel_all			and wait until nothing is left
#   refused TEXT COMMAND...	it fails, and says so
#
# $OUT: where the output of jobs goes.

lease_cluster() {
	local conf needs=''
	[[ ${1-} != --needs ]] || { needs=$2 && shift 2; }
	conf=$(mktemp)
	cat >"$conf" <<-EOT
		RoundInterval=1
		LeaseTerm=5
		CheckpointGrace=3
		NoLeaseGPUs=none
		Pool=gpu Partitions=gpu,gpu2
		Tenant=big Accounts=big Weight=100
	EOT
	start_cluster --needs "$needs" --nodes 2 --gpus 4 --cpus 16 --astraea "$conf" \
		--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
		--slurm 'PartitionName=gpu2 Nodes=n1 State=UP' \
		--slurm 'PartitionName=other Nodes=n2 State=UP' "$@"
	rm -f "$conf"
	chmod 755 "$CLUSTER_DIR/run"
	export OUT=$CLUSTER_DIR/out
}

runs() { wait_for 60 job_is "$1" RUNNING; }
# shellcheck disable=SC2053
reason_is() { [[ $(job_reason "$1") == $2 ]]; }
says() { wait_for 60 reason_is "$@"; }
restarts_are() { [[ $(job_field "$1" Restarts) == "$2" ]]; }
restarts() { wait_for 60 restarts_are "$@"; }
sleeper() { submit "$@" --wrap 'sleep 1200'; }

# A job of all GPUs whose turn is always next.
take_back() {
	local id
	taker=$(sleeper -J taker -A big --gpus=4)
	for id; do wait_for 60 job_is "$id" PENDING; done
	runs "$taker"
}
give_back() { scancel "$taker"; }

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
cancel_all() {
	scancel -u root
	scancel -u games
	wait_for 60 clean
}

refused() {
	local text=$1 said
	shift
	if said=$("$@" 2>&1); then fail "$*: accepted"; fi
	[[ $said == *"$text"* ]] || fail "$*: said '$said'"
}
