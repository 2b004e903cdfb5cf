#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long a round holds slurmctld's write lock with 1,000 managed jobs, in the
# steady state, on a live cluster. Peer: the main scheduler's cycle of stock
# Slurm with the same jobs, from sdiag, which holds the same locks. Prints
# means and maxima; nothing is asserted. Needs root, as the live tests do.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cluster=$here/../lib/cluster
jobs=${BENCH_JOBS:-1000}
seconds=${BENCH_SECONDS:-40}
dir=

stop()
{
	[[ -z $dir ]] || "$cluster" down "$dir" >/dev/null 2>&1 || true
	[[ -z $dir ]] || rm -rf "$dir"
	dir=
}
trap stop EXIT
trap 'exit 1' INT TERM

# start OPTION...: a cluster full of jobs, seen by nobody yet.
start()
{
	dir=$(mktemp -d)
	"$cluster" up "$dir" "$@" >/dev/null
	# shellcheck disable=SC1091
	. "$dir/env"
	for ((i = 0; i < jobs; i++)); do
		sbatch -o /dev/null --gres=gpu:$((i % 8 + 1)) \
			--wrap 'sleep 1000' >/dev/null
	done
}

ours()
{
	start
	sfair diag --reset >/dev/null
	sleep "$seconds"
	sfair diag --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
d = d.get("diag", d)
lock, turn = d["write_lock"], d["round"]
print(lock["mean_usec"], lock["max_usec"], turn["mean_usec"], d["rounds"])'
	stop
}

stock()
{
	start --stock
	sdiag --reset >/dev/null
	sleep "$seconds"
	sdiag | awk '
		/^Main schedule/ { main = 1 }
		/^Backfilling/ { main = 0 }
		main && /Mean cycle:/ { mean = $3 }
		main && /Max cycle:/ { max = $3 }
		END { print mean + 0, max + 0 }'
	stop
}

if ((EUID)); then
	echo "bench-locks: needs root to start Slurm's daemons; left out"
	exit 0
fi
read -r mean max turn rounds < <(ours)
read -r peer_mean peer_max < <(stock)
awk -v j="$jobs" -v a="$mean" -v b="$max" -v t="$turn" -v r="$rounds" \
	-v p="$peer_mean" -v q="$peer_max" 'BEGIN {
	printf "slurmctld with %d managed jobs, microseconds\n\n", j
	printf "%-34s %8s %8s\n", "", "mean", "max"
	printf "%-34s %8.0f %8.0f\n", "write lock held by us, each time", a, b
	printf "%-34s %8.0f\n", "a whole round of ours (" r " rounds)", t
	printf "%-34s %8.0f %8.0f\n", "peer: stock main scheduler, cycle", p, q
	if (p > 0)
		printf "\nwrite lock / peer: %.2f of the mean, %.2f of the max\n",
			a / p, b / q
}'
