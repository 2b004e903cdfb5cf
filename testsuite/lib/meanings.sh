# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of native meanings: source it after live.sh.
#
#   lease_cluster [--needs 'KEY=VALUE...'] [OPTION]...
#				start a cluster with leases of 5 s and a grace of 3 s
#				in partitions gpu and gpu2, on a node of 4 GPUs; the
#				other node is in partition other. Accounts are tenants;
#				big has 100 times the weight of the others. User games
#				may submit
#   runs ID, says ID REASON	wait until the job runs; wait for its reason (a
#				pattern)
#   restarts ID N		wait until the job was requeued N times
#   sleeper SBATCH_ARGUMENT...	submit a job that sleeps
#   take_back ID...		take these jobs' GPUs when their leases end, and
#				wait until each job waits again
#   give_back			let these jobs run again
#   cancel_all			cancel all jobs, and wait until none is left
#   refused TEXT COMMAND...	fail unless the command fails and prints the text
#
# $OUT: folder of the jobs' output.

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

# Starts $taker, a job of all GPUs, whose turn is always next.
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
