#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 190 queries a second of all kinds (tenant, diag, metrics, lease, why, one job
# and all of them), of the 200 that a user may ask, for a minute against a
# slurmctld with BENCH_JOBS jobs that wait. Peer: the same slurmctld in the
# minutes before and after, that nobody asks. BENCH_SEC seconds each.
. "$(dirname "$0")/live.sh"

jobs=${BENCH_JOBS:-1000} sec=${BENCH_SEC:-60}
build=${ASTRAEA_BUILDDIR:-${bench_here:?}/../../build}
if ((EUID)); then
	echo "$0: needs root to start Slurm's daemons; left out"
	exit 0
fi
make -C "$build" bench_queries >/dev/null
bench_dir=$(mktemp -d "${TMPDIR:-/tmp}/astraea.XXXXXX")
conf=$(mktemp)
bench_remove+=("$conf")
echo 'Pool=gpu Partitions=gpu RoundInterval=1' >"$conf"
"${bench_cluster:?}" up "$bench_dir" --nodes 1 --gpus 2 --astraea "$conf" >/dev/null
# shellcheck source=/dev/null
. "$bench_dir/env"
for ((i = 0; i < jobs; i++)); do
	sbatch -Q -o /dev/null --gres=gpu:1 -t 60 --wrap 'exec sleep 3600' \
		>/dev/null
done
sleep 5

# measure NAME COMMAND...: round times while a command runs.
measure() {
	local name=$1
	shift
	sfair diag --reset >/dev/null
	"$@"
	sfair diag --json | python3 -c '
import json, sys
d = json.load(sys.stdin)["diag"]
print("%-8s round mean %.2f ms, max %.2f ms; snapshot %.2f ms; "
      "write lock max %.2f ms; %d rounds" % (sys.argv[1],
      d["round"]["mean_usec"] / 1e3, d["round"]["max_usec"] / 1e3,
      d["snapshot"]["mean_usec"] / 1e3, d["write_lock"]["max_usec"] / 1e3,
      d["rounds"]))' "$name" | tee -a "$bench_dir/table"
}
echo "$jobs jobs, $sec s each; load $(cut -d' ' -f1-3 /proc/loadavg)"
measure before sleep "$sec"
measure asked "$build/bench_queries" "$SFAIR_SOCKET" \
	"$SFAIR_MUNGE_SOCKET" "$sec" 190
measure after sleep "$sec"
echo "load $(cut -d' ' -f1-3 /proc/loadavg)"
awk '{ mean[$1] = $4 } END {
	peer = (mean["before"] + mean["after"]) / 2
	printf "ratio of mean round times, asked / not asked: %.2f\n",
		mean["asked"] / peer
}' "$bench_dir/table"
