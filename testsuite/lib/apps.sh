# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of Policy=themis with apps of several jobs: source it after live.sh.
#
#   apps_cluster		start two nodes of 4 GPUs, with terms of $apps_term
#				seconds
#   job APP SBATCH_ARGUMENT...	submit a job of the app that works until it is told
#				to leave; prints the job's id
#   story JOB			print each start of the job, with its GPUs, and each
#				checkpoint
#   all_are STATE JOB...	whether all jobs are in that state
#   list WORD...		print the words with commas between
#   ends JOB...			print when the jobs' leases end, each time once, by the
#				report of one round
#   together JOB...		whether all jobs run, and their leases end at the end
#				of one term
#   a_later_end TIME JOB...	whether the jobs are together, and their leases end
#				after that time
#   as_before TIME JOB...	fail unless the leases end at that time, or, if it is
#				over, at the end of a later term
#   gone			whether no job is left

# shellcheck disable=SC2034
apps_term=20

apps_cluster() {
	local conf
	conf=$(mktemp)
	cat >"$conf" <<-EOT
		Pool=gpu Partitions=gpu Policy=themis FairnessKnob=0
		RoundInterval=1
		LeaseTerm=$apps_term
		CheckpointGrace=3
	EOT
	start_cluster --nodes 2 --gpus 4 --cpus 16 --accounting --astraea "$conf"
	rm -f "$conf"
	cat >"$CLUSTER_DIR/work.sh" <<-'EOT'
		#!/bin/bash
		echo "run ${ASTRAEA_GPUS:--} after ${ASTRAEA_GPUS_BEFORE:--}"
		trap 'echo checkpoint; exit 85' TERM
		while :; do sleep 1000 & wait; done
	EOT
}

job() {
	submit --app="$1" --signal=B:TERM@60 --open-mode=append "${@:2}" \
		"$CLUSTER_DIR/work.sh"
}

story() { grep -E '^(run|checkpoint)' "$CLUSTER_DIR/out/$1" | xargs; }

all_are() {
	local id
	for id in "${@:2}"; do
		job_is "$id" "$1" || return 1
	done
}

list() {
	local IFS=,
	echo "$*"
}

ends() {
	sfair lease --json -j "$(list "$@")" | python3 -c '
import json, sys
leases = json.load(sys.stdin)["leases"]
if sorted(lease["id"] for lease in leases) != sorted(map(int, sys.argv[1:])):
    sys.exit("not all have a lease")
print(*sorted({lease["lease_end_sec"] for lease in leases}))' "$@"
}

together() {
	local end
	end=$(ends "$@" 2>/dev/null) && [[ $end =~ ^[0-9]+$ ]] &&
		((end % apps_term == 0))
}

a_later_end() {
	together "${@:2}" && (($(ends "${@:2}") > $1))
}

as_before() {
	local end now
	end=$(ends "${@:2}")
	now=$(date +%s)
	[[ $end == "$1" ]] || { ((now >= $1)) && a_later_end "$1" "${@:2}"; } ||
		fail "the leases of $* end at $end after a kill, it is $now"
}

gone() { [[ -z $(squeue -h) ]]; }
