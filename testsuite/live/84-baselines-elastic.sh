#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Baselines in slurmctld: the rules of those that divide the GPUs between elastic
# jobs.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/baselines.sh
. "$(dirname "$0")/../lib/baselines.sh"

baseline_cluster dorm

gpus() { job_is "$1" RUNNING && [[ $(job_field "$1" TresPerJob) == *:"$2" ]]; }

# One of those that run has another number when somebody comes or ends, and nobody
# else. A restart changes nothing.
policy dorm
first=$(elastic 1-8)
wait_for 20 gpus "$first" 8
second=$(elastic 1-8)
wait_for 20 gpus "$first" 4
wait_for 20 gpus "$second" 4
small=$(elastic 1-1)
wait_for 20 gpus "$small" 1
wait_for 20 gpus "$second" 3
sleep 6
restart_slurmctld
sleep 3
check "one that is not changed" gpus "$first" 4
restarts "$first" 1
restarts "$second" 1
scancel "$small"
wait_for 60 gpus "$second" 4 # once slurmctld has heard of it again
restarts "$first" 1
ok dorm

# Whose loss falls most by it, which is the shorter one, each LeaseTerm.
policy slaq
long=$(elastic 1-8 -t 60)
wait_for 20 gpus "$long" 8
short=$(elastic 1-8 -t 10)
wait_for 40 gpus "$short" 7
wait_for 20 gpus "$long" 1
wait_for 10 ends_with "$short" 10
ok slaq

# The smaller demand is met, in proportion to demands, in turns from the fullest node,
# from the emptiest one.
divided() { # POLICY RANGE GPUS...: jobs one after the other, then what they have
	local ids=() id i
	policy "$1"
	shift
	for ((i = 1; i < $#; i += 2)); do
		ids+=("$(elastic "${!i}")")
		wait_for 20 job_is "${ids[0]}" RUNNING
	done
	for id in "${ids[@]}"; do
		wait_for 40 gpus "$id" "$2"
		shift 2
	done
}
divided oga-drf 1-8 2 1-6 6
ok oga-drf
divided oga-fairness 1-8 6 1-4 2
ok oga-fairness
divided oga-binpacking 1-3 3 1-6 1 1-4 4
ok oga-binpacking
divided oga-spreading 1-3 3 1-6 4 1-4 1
ok oga-spreading
