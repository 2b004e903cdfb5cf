#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that know nothing of leases, in C with threads, Python, and as a shell's
# pipeline, are dumped by criu at the ends of leases and restored on either of two
# nodes: every step is there once, on their output and in their files, appended to
# or not, of root's jobs and a user's. Skipped where there is no criu 4.0 and none can
# be had, or where users may have no namespaces.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/dumps.sh
. "$(dirname "$0")/../lib/dumps.sh"
dump_cluster

# ---- Programs of three kinds, each of which goes on.

# All go on until the file "enough" is there.
cat >"$out/loop.sh" <<'EOT'
i=0
until [[ -e enough ]]; do echo "step $((++i))"; sleep 0.1; done
EOT
cat >"$out/threads.c" <<'EOT'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static FILE *in_place;

static void *work(void *unused)
{
	for (int on = 1; on; usleep(100000)) {
		pthread_mutex_lock(&lock);
		on = access("enough", F_OK) != 0;
		if (on) {
			printf("step %d\n", ++done);
			fprintf(in_place, "step %d\n", done);
			fflush(in_place);
		}
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	setvbuf(stdout, NULL, _IOLBF, 0);
	in_place = fopen(argv[argc - 1], "w"); /* no O_APPEND */
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
EOT
"${CC:-cc}" -pthread -o "$out/threads" "$out/threads.c"
cat >"$out/steps.py" <<'EOT'
import os, sys, time
with open(sys.argv[1], "a", buffering=1) as log:
    i = 0
    while not os.path.exists("enough"):
        i += 1
        print("step", i, flush=True)
        print("step", i, file=log)
        time.sleep(0.1)
EOT
ids[c]=$(submit_in --uid=games --wrap "./threads file.c")
ids[python]=$(submit_in --wrap "python3 steps.py file.python")
cat >"$out/pipeline.sh" <<'EOT'
#!/bin/bash
bash loop.sh | while read -r line; do echo "$line"; done |
	tee -a file.pipeline
EOT
ids[pipeline]=$(submit_in --uid=games ./pipeline.sh)
is_over() { ! job_is "$1" RUNNING && ! job_is "$1" PENDING; }
for run in 1 2 3; do
	go_on
	wait_for 60 job_is "$(rival)" COMPLETED
	wait_for 60 all runs_again $run
done
go_on
touch enough
wait_for 60 all is_over
for kind in "${!ids[@]}"; do
	id=${ids[$kind]}
	check_eq "$kind: $(tail -n 3 "$id")" COMPLETED "$(job_state "$id")"
	# A dump that takes too long is told in the output, and costs no step.
	grep '^step ' "$id" >steps
	for file in steps "file.$kind"; do
		cmp "$file" <(seq -f 'step %g' "$(wc -l <"$file")") >&2 ||
			fail "$kind: not every step once: $(tail -n 3 "$file")"
		check "$kind: $file has steps" test -s "$file"
	done
	[[ ! -e sfair-checkpoint.$id.batch.0 ]] || fail "$kind: its dump stays"
done
ok checkpoint-with
