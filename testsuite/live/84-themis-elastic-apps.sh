#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=themis with apps that have elastic jobs. An elastic job of an app has what
# the app wins: less beside another app, more alone, by squeue, scontrol, its
# environment and sacct.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/apps.sh
. "$(dirname "$0")/../lib/apps.sh"
apps_cluster

# ---- An elastic job of an app, alone.

asks() { [[ $(job_field "$1" TresPerJob) == *:"$2" ]]; }
has() { # JOB GPUS: it runs with so many
	job_is "$1" RUNNING && asks "$1" "$2" &&
		[[ $(squeue -h -j "$1" -O tres-alloc:120) =~ gres/gpu=$2(,|\ |$) ]]
}
wrote() { [[ $(story "$elastic") == "$1" ]]; }
elastic=$(job train --gpus=1 --gpu-range=1-6 --cpus-per-gpu=2)
wait_for 30 has "$elastic" 6
check_eq "CPUs" 12 "$(squeue -h -j "$elastic" -o %C)"
wait_for 20 wrote "run 6 after 0"
rigid=$(job train --gpus=1)
wait_for 60 job_is "$rigid" RUNNING
wait_for 70 together "$elastic" "$rigid"
has "$elastic" 6 || fail "its size is $(job_field "$elastic" TresPerJob)"
ok alone-it-has-its-most

# ---- Beside an app that wants a node, its app wins the other one.

rival=$(job rival -N1 --gres=gpu:4)
wait_for 120 job_is "$rival" RUNNING
wait_for 60 has "$elastic" 3
check_eq "CPUs" 6 "$(squeue -h -j "$elastic" -o %C)"
wait_for 20 wrote "run 6 after 0 checkpoint run 3 after 6"
wait_for 60 together "$elastic" "$rigid"
end=$(ends "$elastic" "$rigid")
restart_slurmctld KILL
wait_for 30 together "$elastic" "$rigid"
as_before "$end" "$elastic" "$rigid"
wait_for 70 a_later_end "$end" "$elastic" "$rigid" "$rival"
has "$elastic" 3 || fail "its size is $(job_field "$elastic" TresPerJob)"
ok with-a-competitor-less

scancel "$rival"
wait_for 120 has "$elastic" 6
check_eq "CPUs" 12 "$(squeue -h -j "$elastic" -o %C)"
wait_for 20 wrote \
	"run 6 after 0 checkpoint run 3 after 6 checkpoint run 6 after 3"
booked() {
	local runs
	runs=$(sacct -nXPD -j "$elastic" -o alloctres |
		grep -o 'gres/gpu=[0-9]*' | xargs)
	[[ $runs == "gres/gpu=6 gres/gpu=3 gres/gpu=6" ]]
}
wait_for 30 booked
wait_for 70 together "$elastic" "$rigid"
scancel "$elastic" "$rigid"
wait_for 60 gone
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
ok alone-more-again
