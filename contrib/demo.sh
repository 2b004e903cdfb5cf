#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Show what Astraea does, on this machine, in under four minutes.
#
#   contrib/demo.sh [--keep] [--plain]
#
#   --keep    leave the cluster up at the end, and print how to use it
#   --plain   print lines instead of redrawing the screen; so it does anyway
#             where the output is no terminal
#   --help    this text
#
# It sets up and builds what is missing, starts a throw-away Slurm cluster of
# real daemons (4 nodes with 8 emulated GPUs each) with three tenants of weights
# 2:1:1, submits a mix of small and large training jobs that checkpoint, and
# shows who holds which GPUs and how fair that is. It ends with the fairness
# report and the proof that no job lost a step, stops everything it started, and
# leaves nothing behind but what setting up installed. Needs root.
#
# Exit status: 0 when it is proved that no step was lost, else 1: also where this
# Slurm cannot run several nodes on one machine, or the plugin stands aside.

set -euo pipefail
umask 022 # jobs run as other users, too

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
demo=$top/contrib/demo
step_sec=0.5
nodes=4 gpus=8
keep='' plain=()
dir='' child='' up=''

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

stop_cluster() {
	[[ $up ]] || return 0
	say "Stopping the cluster"
	"$top/testsuite/lib/cluster" down "$dir/cluster"
	up=''
}

cleanup() {
	local status=$?
	trap - EXIT
	trap '' INT TERM HUP
	end_child
	if [[ $keep && $up && $status == 0 ]]; then
		how_to_use
		exit 0
	fi
	stop_cluster || status=1
	[[ ! $dir ]] || rm -rf "$dir"
	exit "$status"
}

how_to_use() {
	cat <<-EOT

	== The cluster stays up. Use it like this:

	. $dir/cluster/env                        # Slurm's commands, and sfair
	cd $top/contrib/examples
	export STATE_DIR=$dir/jobs
	STEPS=60 sbatch --account=speech --gres=gpu:2 --output=$dir/jobs/%j.out train.sbatch
	squeue                                    # why a job waits: last column
	sfair tenant; sfair job; sfair why JOBID

	Stop it: $top/testsuite/lib/cluster down $dir/cluster && rm -r $dir
	EOT
}

build() {
	say "Building Astraea in ${ASTRAEA_BUILDDIR#"$top/"}"
	ASTRAEA_CONFIGURE=${ASTRAEA_CONFIGURE-} \
		run "$top/build-aux/build.sh" --verbose
}

start_cluster() {
	dir=$(mktemp -d "${TMPDIR:-/tmp}/astraea-demo.XXXXXX")
	chmod 755 "$dir" # munged wants its socket's folder to be open
	mkdir "$dir/cluster" "$dir/jobs"
	say "Starting Slurm: $nodes nodes with $gpus GPUs each"
	up=1
	run "$top/testsuite/lib/cluster" up "$dir/cluster" --nodes "$nodes" \
		--gpus "$gpus" --astraea "$demo/astraea.conf" >/dev/null
	# shellcheck source=/dev/null
	. "$dir/cluster/env"
}

# The nodes of one machine are told apart only where Slurm was built so.
check_slurm() {
	[[ $(scontrol show config) == *MULTIPLE_SLURMD* ]] ||
		die "this Slurm was built without --enable-multiple-slurmd:" \
			"it cannot run the demo's $nodes nodes on one machine"
}

log_says() { sed -n 's/.*error: astraea: //p' "$dir/cluster/log/slurmctld.log"; }

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

# The jobs' length in percent: shorter where setting up took long, so that all
# of it stays below four minutes.
scale() {
	local left=$((215 - SECONDS))
	((left < 110)) || left=110
	((left > 55)) || left=55
	echo $((left * 100 / 110))
}

# submit TENANT GPUS STEPS: the example of contrib/examples, as a user would.
submit() {
	local id options=(--gres="gpu:$2")
	(($2 <= gpus)) || options=(--gres="gpu:$gpus" --nodes=$(($2 / gpus)))
	id=$(STEPS=$3 SECONDS_A_STEP=$step_sec STATE_DIR=$dir/jobs \
		sbatch --parsable --account="$1" --job-name="train-$2" \
		--output="$dir/jobs/%j.out" "${options[@]}" train.sbatch)
	echo "$id $3" >>"$dir/jobs/steps"
}

submit_all() {
	local tenant size sec count percent
	percent=$(scale)
	cd "$top/contrib/examples"
	while read -r tenant size sec count; do
		while ((count-- > 0)); do
			submit "$tenant" "$size" $((sec * 2 * percent / 100))
		done
	done < <(grep -v '^#' "$demo/workload")
	cd "$top"
	say "Submitted $(wc -l <"$dir/jobs/steps") jobs of three tenants with" \
		"weights 2:1:1"
}

show() {
	run python3 -B "$demo/view.py" "${plain[@]}" --nodes "$nodes" \
		--gpus "$gpus" --limit "$((150 * $(scale) / 100))" \
		--record "$dir/fairness.json" "$dir/jobs"
}

jobs_gone() { [[ ! $(squeue -h) ]]; }

# A job that is still under way now is asked for its checkpoint.
end_jobs() {
	local end=$((SECONDS + 15))
	jobs_gone || scancel --user=root
	until jobs_gone || ((SECONDS > end)); do sleep 0.2; done
}

report() {
	local status=0
	echo
	run python3 -B "$demo/report.py" --record "$dir/fairness.json" \
		"$dir/jobs" || status=1
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
start_cluster
check_slurm
submit_all
check_plugin
show
end_jobs
report
say "Done after $((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))"
