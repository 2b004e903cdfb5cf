#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Show what Astraea does, beside stock Slurm, on this machine: two minutes, after
# setting up.
#
#   contrib/demo.sh [--keep] [--plain] [--record=FILE]
#
#   --keep    leave Astraea's cluster up at the end, and print how to use it
#   --plain   print lines instead of redrawing the screen; so it does anyway
#             where the output is no terminal
#   --record=FILE  write down who held how many GPUs when, as JSON, which
#             doc/pictures/beside.py draws
#   --help    this text
#
# It sets up and builds what is missing, and starts two throw-away Slurm clusters
# of real daemons (4 nodes with 8 emulated GPUs each): stock Slurm as it comes, and
# Astraea with three tenants of weights 2:1:1. Both get the same mix of small and
# large training jobs, which declare and write checkpoints. It shows who holds
# which GPUs and how fair that is. It ends with the proof that no job lost a step,
# and with both clusters side by side: who got what, who waited how long. It stops
# everything it started, and leaves nothing behind but what setting up installed.
# Needs root.
#
# Exit status: 0 when it is proved that no step was lost, else 1: also where this
# Slurm cannot run several nodes on one machine, or the plugin stands aside.

set -euo pipefail
umask 022 # jobs run as other users, too

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
demo=$top/contrib/demo
step_sec=0.5
nodes=4 gpus=8
keep='' plain=() record=''
dir='' child='' up=()
stock_conf=''

say() { echo "== $*"; }

die() {
	echo "demo.sh: error: $*" >&2
	exit 1
}

usage() { sed -n '/^# Show/,/^# Exit/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

parse_options() {
	local option
	for option in "$@"; do
		case $option in
		--keep) keep=1 ;;
		--plain) plain=(--plain) ;;
		--record=?*)
			record=$(realpath -m "${option#*=}")
			: >"$record" || die "$record cannot be written"
			;;
		-h | --help) usage && exit 0 ;;
		*) die "unknown option $option: see contrib/demo.sh --help" ;;
		esac
	done
}

# run COMMAND...: in a session of its own, so that a signal to us is handled at
# once, and all that it started can be ended.
run() {
	local status=0
	setsid "$@" </dev/null &
	child=$!
	wait "$child" || status=$?
	child=''
	return "$status"
}

end_child() {
	[[ $child ]] || return 0
	kill -TERM -- "-$child" 2>/dev/null || true
	wait "$child" 2>/dev/null || true
	child=''
}

# stop_clusters [EXCEPT]
stop_clusters() {
	local name failed=0
	for name in "${up[@]}"; do
		[[ $name != "${1-}" ]] || continue
		say "Stopping the cluster with $name"
		"$top/testsuite/lib/cluster" down "$dir/$name" || failed=1
	done
	up=()
	return "$failed"
}

cleanup() {
	local status=$?
	trap - EXIT
	trap '' INT TERM HUP
	end_child
	if [[ $keep && ${#up[@]} == 2 && $status == 0 ]]; then
		stop_clusters ours
		how_to_use
		exit 0
	fi
	stop_clusters || status=1
	[[ ! $dir ]] || rm -rf "$dir"
	exit "$status"
}

how_to_use() {
	cat <<-EOT

	== The cluster stays up. Use it like this:

	. $dir/ours/env                           # Slurm's commands, and sfair
	cd $top/contrib/examples
	export STATE_DIR=$dir/jobs/ours
	STEPS=60 sbatch --account=speech --gres=gpu:2 --output=$dir/jobs/ours/%j.out train.sbatch
	squeue                                    # why a job waits: last column
	sfair tenant; sfair job; sfair why JOBID

	Stop it: $top/testsuite/lib/cluster down $dir/ours && rm -r $dir
	EOT
}

build() {
	say "Building Astraea in ${ASTRAEA_BUILDDIR#"$top/"}"
	ASTRAEA_CONFIGURE=${ASTRAEA_CONFIGURE-} \
		run "$top/build-aux/build.sh" --verbose
}

# start_cluster NAME OPTION...
start_cluster() {
	local name=$1
	shift
	up+=("$name")
	run "$top/testsuite/lib/cluster" up "$dir/$name" --nodes "$nodes" \
		--gpus "$gpus" "$@" >/dev/null
}

start_clusters() {
	dir=$(mktemp -d "${TMPDIR:-/tmp}/astraea-demo.XXXXXX")
	chmod 755 "$dir" # munged wants its socket's folder to be open
	mkdir -p "$dir"/{ours,stock} "$dir"/jobs/{ours,stock}
	say "Starting stock Slurm: $nodes nodes with $gpus GPUs each"
	start_cluster stock --stock
	stock_conf=$dir/stock/etc/slurm.conf
	say "Starting Slurm with Astraea: the same nodes"
	start_cluster ours --astraea "$demo/astraea.conf"
	# shellcheck source=/dev/null
	. "$dir/ours/env"
}

# The nodes of one machine are told apart only where Slurm was built so.
check_slurm() {
	[[ $(scontrol show config) == *MULTIPLE_SLURMD* ]] ||
		die "this Slurm was built without --enable-multiple-slurmd:" \
			"it cannot run the demo's $nodes nodes on one machine"
}

log_says() { sed -n 's/.*error: astraea: //p' "$dir/ours/log/slurmctld.log"; }

# What it looks at first is a job.
check_plugin() {
	local end=$((SECONDS + 30)) aside=''
	until [[ $(sfair -n job 2>/dev/null) ]] || ((SECONDS > end)); do
		aside=$(sfair diag 2>/dev/null |
			sed -n 's/^\tStands aside *//p') || true
		[[ ! $aside ]] || break
		sleep 0.2
	done
	[[ ! $aside ]] || die "the plugin stands aside, and Slurm runs all jobs" \
		"as it does without: $aside. Build it against the exact source" \
		"and configuration of this slurmctld; see astraea(8), Self-check"
	[[ $(sfair -n job 2>/dev/null) ]] ||
		die "the plugin shows none of the jobs: $(log_says)"
}

# submit CLUSTER TENANT GPUS STEPS: the example of contrib/examples, as a user
# would.
submit() {
	local folder=$dir/jobs/$1 id now=$EPOCHREALTIME options=(--gres="gpu:$3")
	(($3 <= gpus)) || options=(--gres="gpu:$gpus" --nodes=$(($3 / gpus)))
	id=$(STEPS=$4 SECONDS_A_STEP=$step_sec STATE_DIR=$folder \
		SLURM_CONF=$dir/$1/etc/slurm.conf \
		sbatch --parsable --account="$2" --job-name="train-$3" \
		--output="$folder/%j.out" "${options[@]}" train.sbatch)
	echo "$id $4 $now" >>"$folder/steps"
}

submit_all() {
	local tenant size sec count cluster
	cd "$top/contrib/examples"
	while read -r tenant size sec count; do
		while ((count-- > 0)); do
			for cluster in stock ours; do
				submit "$cluster" "$tenant" "$size" $((sec * 2))
			done
		done
	done < <(grep -v '^#' "$demo/workload")
	cd "$top"
	say "Submitted $(wc -l <"$dir/jobs/ours/steps") jobs of three tenants" \
		"with weights 2:1:1 to each"
}

show() {
	run python3 -B "$demo/view.py" "${plain[@]}" --nodes "$nodes" \
		--gpus "$gpus" --limit 150 \
		--record "$dir/fairness.json" --stock "$stock_conf" \
		"$dir/jobs/ours"
}

jobs_gone() { [[ ! $(squeue -h) && ! $(SLURM_CONF=$stock_conf squeue -h) ]]; }

# A job that is still under way now is asked for its checkpoint.
end_jobs() {
	local end=$((SECONDS + 15))
	jobs_gone || {
		scancel --user=root
		SLURM_CONF=$stock_conf scancel --user=root
	}
	until jobs_gone || ((SECONDS > end)); do sleep 0.2; done
}

report() {
	local status=0
	echo
	run python3 -B "$demo/report.py" --record "$dir/fairness.json" \
		--stock "$stock_conf" "$dir/jobs" || status=1
	echo
	return "$status"
}

parse_options "$@"
((EUID == 0)) || die "only root can run Slurm's daemons"
export ASTRAEA_BUILDDIR=${ASTRAEA_BUILDDIR:-$top/build}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
build
start_clusters
check_slurm
submit_all
check_plugin
show
end_jobs
[[ ! $record ]] || cp "$dir/fairness.json" "$record"
report
say "Done after $((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))"
