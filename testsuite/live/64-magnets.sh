#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Of two magnetic reservations a job that names none takes the one with free GPUs of
# its type, with its features, and with its nodes; free GPUs that it cannot use do
# not count. One line "ok NAME" for each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 CheckpointGrace=2" >"$conf"
start_cluster --needs weight=no --nodes 5 --gpus 2 --cpus 8 --astraea "$conf" \
	--node 'n1 Gres=gpu:h100:1,gpu:a100:1' --node 'n2 Gres=gpu:a100:2 Feature=big' \
	--node 'n3 Feature=big' --node 'n4 Feature=big'
rm -f "$conf"

sleeper() { submit "$@" --wrap 'exec sleep 600'; }
reserve() { # NAME NODES
	scontrol create reservation ReservationName="$1" users=root Nodes="$2" \
		StartTime=now Duration=60 Flags=MAGNETIC,IGNORE_JOBS >/dev/null
}

# All GPUs are in use but the h100 of n1, and those of n2 and n5.
for ask in '-w n1 --gres=gpu:a100:1' '-w n3 --gres=gpu:2' '-w n4 --gres=gpu:2'; do
	# shellcheck disable=SC2086
	fillers+=("$(sleeper -t 120 $ask)")
done
for id in "${fillers[@]}"; do wait_for 30 job_is "$id" RUNNING; done
reserve first n1,n5
reserve second n2

# runs_on NAME NODE ARGUMENT...
runs_on() {
	local id
	id=$(sleeper -t 30 "${@:3}")
	wait_for 30 job_is "$id" RUNNING
	check_eq "its node" "$2" "$(job_field "$id" NodeList)"
	scancel "$id"
	wait_for 30 job_is "$id" CANCELLED
	ok "$1"
}

runs_on feature n2 -C big --gres=gpu:1
runs_on node n2 -w n2 --gres=gpu:1
runs_on type n1 --gres=gpu:h100:1
runs_on any 'n[1,5]' -N2 --gres=gpu:1

five=$(sleeper -t 30 -w n5 --gres=gpu:2)
wait_for 30 job_is "$five" RUNNING
runs_on type-of-other-gpus n2 --gres=gpu:a100:1
