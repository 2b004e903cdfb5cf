#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Four programs under sfair-agent --checkpoint-with=criu, in C with threads, Python, a
# shell and a pipeline, are interrupted 100 times [DUMP_FAULTS]: a lease's end, a
# SIGKILL to all at a random moment of the dump, or one while they work. Every step is
# in their output and in their files once, whichever dump they went on from.
# The lease is made up; live/87-dumps.sh has a real one.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
agent=${ASTRAEA_BUILDDIR:-$top/build}/sfair-agent
# shellcheck source=testsuite/lib/criu.sh
. "$top/testsuite/lib/criu.sh"
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || :; wait; rm -rf "$work"' EXIT
cd "$work"
each=$(((${DUMP_FAULTS-100} + 3) / 4))

find_criu "$work/criu" || {
	echo "SKIP: no criu 4.0, and none to be had"
	exit 77
}
unshare --user --map-current-user --pid --fork --mount-proc true || {
	echo "SKIP: users may have no namespaces of their own"
	exit 77
}
${CC:-cc} -pthread -o threads -x c - <<'EOT'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *file)
{
	static int done;

	for (int on = 1; on; usleep(20000)) {
		pthread_mutex_lock(&lock);
		on = access("enough", F_OK) != 0;
		if (on) {
			printf("step %d\n", ++done);
			fprintf(file, "step %d\n", done);
			fflush(file);
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	FILE *in_place = fopen("file", "w");
	pthread_t threads[4];

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, in_place);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOT
cat >steps.py <<'EOT'
import os, time
memory = bytearray(os.urandom(64 << 20))
with open("file", "a", buffering=1) as log:
    i = 0
    while not os.path.exists("enough"):
        i += 1
        print("step", i, flush=True)
        print("step", i, file=log)
        time.sleep(0.01)
EOT
cat >shell.sh <<'EOT'
exec 5>>file
i=0
until [[ -e enough ]]; do
	echo "step $((++i))"
	echo "step $i" >&5
	sleep 0.01
done
EOT
cat >pipeline.sh <<'EOT'
{
	i=0
	until [[ -e enough ]]; do echo "step $((++i))"; sleep 0.01; done
} | while read -r line; do echo "$line"; done | tee -a file
EOT

fail() {
	echo "FAIL: $*" >&2
	exit 1
}
# shellcheck disable=SC2317
has_begun() { (($(wc -l 2>/dev/null <file || echo 0) > $1)); }
await() {
	local i
	for ((i = 0; i < 1200; i++)); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "in vain: $*: $(cat err)"
}
doze() { sleep "0.$(printf %03d $((RANDOM % $1)))"; }

# play NUMBER COMMAND...: in a folder of its own.
play() {
	local job=$1 run agent_pid inner code before ends=0 torn=0 killed=0
	shift
	mkdir "$job" && cd "$job" || exit 1
	for ((run = 0; run <= each; run++)); do
		# What was done since the dump may be cut back.
		before=$(wc -l 2>/dev/null <file || echo 0)
		((run < each)) || touch enough
		ASTRAEA_POOL=gpu SLURM_JOB_ID=$job SLURM_RESTART_COUNT=$run \
			SLURM_PROCID=0 ASTRAEA_LEASE_GRACE=60 \
			ASTRAEA_CHECKPOINT_SIGNAL=USR1 ASTRAEA_SOCKET=/none \
			SFAIR_CRIU=$top/src/cmd/sfair-agent/sfair-criu \
			"$agent" --checkpoint-with=criu -- "$@" </dev/null \
			>>out 2>>err &
		agent_pid=$!
		((run < each)) || break
		await has_begun "$before"
		inner=$(pgrep -P $agent_pid)
		doze 300
		# Before the first dump it would begin anew, and append to its files.
		if ((run == 0 || RANDOM % 3)); then
			kill -USR1 $agent_pid
			code=0
			if ((run == 0 || RANDOM % 2)); then
				wait $agent_pid || code=$?
				((code == 85)) || fail "$*: ends with $code: $(cat err)"
				((++ends))
				continue
			fi
			doze 250
		fi
		kill -KILL $agent_pid 2>/dev/null || :
		code=0
		wait $agent_pid 2>/dev/null || code=$?
		((code == 85 || code == 137)) ||
			fail "$*: ends with $code: $(cat err)"
		while [[ -e /proc/$inner ]]; do sleep 0.01; done
		if ((code == 85)); then ((++ends)); else ((++killed)); fi
		(($(find sfair-checkpoint.* -name 'dump.*' -type d | wc -l) < 2)) || ((++torn))
	done
	code=0
	wait $agent_pid || code=$?
	((code == 0)) || fail "$*: ends with $code: $(cat err)"
	for file in out file; do
		cmp $file <(seq -f 'step %g' "$(wc -l <$file)") >&2 ||
			fail "$*: not every step once in $file"
	done
	[[ ! -s err ]] || fail "$(cat err)"
	echo "$*: $(wc -l <file) steps, each once; $ends dumps, $killed kills, $torn of them in a dump"
}

(play 1 "$work/threads") &
(play 2 python3 "$work/steps.py") &
(play 3 bash "$work/shell.sh") &
(play 4 bash "$work/pipeline.sh") &
bad=0
for job in $(jobs -p); do wait "$job" || bad=1; done
exit $bad
