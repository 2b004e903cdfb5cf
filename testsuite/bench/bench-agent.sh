#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What sfair-agent costs on a live cluster while a program writes ten lines a
# second: it reads them through a pipe or from a file, and tells slurmctld; or it
# only waits for signals. Percent of a core, all threads, over BENCH_SECONDS [60].
. "$(dirname "$0")/../lib/live.sh"

seconds=${BENCH_SECONDS-60}
start_cluster --nodes 1 --gpus 3
out=$CLUSTER_DIR/out
writes="for ((i = 0;; i++)); do
	echo \"step = \$i, loss = 0.5 (0.1 sec)\"; sleep 0.1; done"
names=(pipe file signals)
ids=(
	"$(submit --gres=gpu:1 --signal=B:USR1@60 --wrap "exec \
		sfair-agent --progress=tensorflow -- bash -c '$writes'")"
	"$(submit --gres=gpu:1 --signal=B:USR1@60 --wrap "exec \
		sfair-agent --progress=tensorflow --log=$out/log -- \
		bash -c '$writes' >$out/log")"
	"$(submit --gres=gpu:1 --signal=B:USR1@60 --wrap "exec \
		sfair-agent -- bash -c '$writes'")"
)
# The agent executed in place of the batch script has its number.
agent_of() {
	local step
	step=$(scontrol listpids "$1" n1 2>/dev/null | awk '$3 == "batch" {print $1}')
	for pid in $step; do
		[[ $(cat "/proc/$pid/comm" 2>/dev/null) != sfair-agent ]] ||
			echo "$pid"
	done
}
spent() { cat "/proc/$1/task/"*/schedstat | awk '{ns += $1} END {print ns}'; }

agents=()
for id in "${ids[@]}"; do
	wait_for 60 eval '[[ $(agent_of "$id") ]]'
	agents+=("$(agent_of "$id")")
done
sleep 5
before=()
for i in 0 1 2; do before+=("$(spent "${agents[i]}")"); done
sleep "$seconds"
for i in 0 1 2; do
	awk -v name="${names[i]}" -v s="$seconds" \
		-v ns="$(($(spent "${agents[i]}") - before[i]))" \
		'BEGIN {printf "agent %-8s %.4f %% of a core\n", name, ns / s / 1e7}'
done
