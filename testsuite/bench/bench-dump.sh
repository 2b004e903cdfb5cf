#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# How long sfair-agent takes from a lease's end to its own, with a complete dump of a
# process of 1 GiB by criu, beside writing 1 GiB with fsync to the same disk; and from
# the next start to the process going on. BENCH_TURNS [5] of both in turn, medians.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
agent=${ASTRAEA_BUILDDIR:-$top/build}/sfair-agent
# shellcheck source=testsuite/lib/criu.sh
. "$top/testsuite/lib/criu.sh"
work=$(mktemp -d "${BENCH_DIR:-/var/tmp}/astraea.XXXXXX")
trap 'kill $(jobs -p) 2>/dev/null || :; wait; rm -rf "$work"' EXIT
cd "$work"
find_criu "$work/criu" || {
	echo "no criu 4.0, and none to be had"
	exit 0
}
now() { date +%s.%N; }
spent() { awk -v a="$1" -v b="$(now)" 'BEGIN {print b - a}'; }
median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

cat >big.py <<'EOT'
import os, time
memory = bytearray()
for _ in range(64):
    memory += os.urandom(16 << 20)
beat = os.open("beat", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while True:
    os.write(beat, b".")
    time.sleep(0.005)
EOT
begin() {
	touch beat
	beats=$(stat -c %s beat)
	ASTRAEA_POOL=gpu SLURM_JOB_ID=1 SLURM_RESTART_COUNT=$1 SLURM_PROCID=0 \
		ASTRAEA_LEASE_GRACE=600 ASTRAEA_CHECKPOINT_SIGNAL=USR1 \
		ASTRAEA_SOCKET=/none \
		SFAIR_CRIU=$top/src/cmd/sfair-agent/sfair-criu \
		"$agent" --checkpoint-with=criu -- python3 big.py \
		</dev/null >>out 2>&1 &
	pid=$!
	until (($(stat -c %s beat) > beats)); do
		[[ -d /proc/$pid ]] || { cat out; exit 1; }
		sleep 0.005
	done
}
begin 0
for ((turn = 1; turn <= ${BENCH_TURNS-5}; turn++)); do
	sync
	start=$(now)
	kill -USR1 $pid
	wait $pid || :
	spent "$start" >>dumps
	sync
	start=$(now)
	dd if=/dev/zero of=written bs=1M count=1024 conv=fsync status=none
	spent "$start" >>writes
	rm written
	sync
	start=$(now)
	begin $turn
	spent "$start" >>restores
done
kill -KILL $pid
wait $pid 2>/dev/null || :
awk -v d="$(median <dumps)" -v w="$(median <writes)" -v r="$(median <restores)" \
	'BEGIN {printf "dump of 1 GiB %.2f s, 1 GiB with fsync %.2f s, ratio %.2f; restore %.2f s\n", d, w, d / w, r}'
