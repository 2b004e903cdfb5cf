#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that know nothing of leases, in C with threads, Python, and as a shell's
# pipeline, are dumped by criu at the ends of leases and restored on either of two
# nodes: every step is there once, on their output and in their files, appended to
# or not, of root's jobs and a user's. Skipped where there is no criu 4.0 and none can
# be had, or where users may have no namespaces.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/criu.sh
. "$(dirname "$0")/../lib/criu.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	NoLeaseGPUs=none
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=9 CheckpointGrace=8
EOT
start_cluster --nodes 2 --gpus 2 --astraea "$conf"
rm -f "$conf"
find_criu "$CLUSTER_DIR/criu" || skip "no criu 4.0, and none to be had"
out=$CLUSTER_DIR/out
cc=${CC:-cc}

"${other_user[@]}" unshare --user --map-current-user --pid --fork --mount-proc \
	true 2>/dev/null || skip "users may have no namespaces of their own"

# ---- Programs of three kinds, each of which goes on.

# All go on until the file "enough" is there.
cat >"$out/loop.sh" <<'EOT'
i=0
until [[ -e enough ]]; do echo "step $((++i))"; sleep 0.1; done
EOT
dumped() {
	submit --gres=gpu:1 -N1 --requeue --signal=B:USR1@60 \
		--checkpoint-with=criu "$@"
}
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
$cc -pthread -o "$out/threads" "$out/threads.c"
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
declare -A ids lines
cd "$out" || exit
submit_in() { dumped --chdir="$out" "$@"; }
chmod 777 "$out"
ids[c]=$(submit_in --uid=games --wrap "./threads file.c")
ids[python]=$(submit_in --wrap "python3 steps.py file.python")
cat >"$out/pipeline.sh" <<'EOT'
#!/bin/bash
bash loop.sh | while read -r line; do echo "$line"; done |
	tee -a file.pipeline
EOT
ids[pipeline]=$(submit_in --uid=games ./pipeline.sh)
rival() {
	submit --uid=games --no-requeue -N2 --gres=gpu:2 --wrap 'exec sleep 0.1'
}
all() {
	local id
	for id in "${ids[@]}"; do "$@" "$id" || return 1; done
}
runs_again() { job_is "$2" RUNNING && [[ $(job_field "$2" Restarts) == "$1" ]]; }
count() { wc -l 2>/dev/null <"$1" || echo 0; }
has_more() { (($(count "$1") > lines[$1])); }
is_over() { ! job_is "$1" RUNNING && ! job_is "$1" PENDING; }
go_on() {
	local id
	for id in "${ids[@]}"; do lines[$id]=$(count "$id"); done
	wait_for 30 all has_more
}
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
rm enough

# ---- Streams that are pipes, as those of srun's tasks: they are the new ones then,
# also where the agent reads them. The lease is made up.

piped() {
	local run code
	mkdir pipes
	chown games pipes
	for run in 0 1 2; do
		"${other_user[@]}" env -C pipes SLURM_RESTART_COUNT=$run \
			ASTRAEA_POOL=gpu SLURM_JOB_ID=1 ASTRAEA_LEASE_GRACE=20 \
			ASTRAEA_CHECKPOINT_SIGNAL=USR1 \
			bash -c 'while sleep 0.1; do echo word; done |
				(echo $BASHPID >pid; exec "$@"; ) 2>&1 |
				cat >>output; exit "${PIPESTATUS[1]}"' - \
			sfair-agent --checkpoint-with=criu "$@" -- \
			bash -c 'while read -r _; do echo "step $((++i))"; done' &
		wait_for 20 test -s pipes/pid
		wait_for 20 eval '(($(wc -l <pipes/output) > 10 * (run + 1)))'
		kill -USR1 "$(<pipes/pid)"
		code=0
		wait $! || code=$?
		check_eq "it ends, $(tail -n 3 pipes/output)," 85 $code
		rm pipes/pid
	done
	cmp pipes/output <(seq -f 'step %g' "$(wc -l <pipes/output)") >&2 ||
		fail "not every step once: $(<pipes/output)"
	rm -r pipes
}
piped
piped --progress='^step ([0-9]+)'

# ---- What criu cannot keep is said; the job is requeued, and begins anew.

cat >"$out/connected.py" <<'EOT'
import socket, time
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
print("connected", flush=True)
time.sleep(600)
EOT
id=$(submit_in --wrap 'exec python3 connected.py')
ids=([socket]="$id")
go_on
rival >/dev/null
wait_for 60 runs_again 1 "$id"
check "$(job_log "$id")" grep "criu cannot dump it: it has sockets" "$id" >/dev/null
check "$(job_log "$id")" grep "the lease ends, and there is no dump" "$id" >/dev/null
wait_for 20 eval '(($(grep -c connected "$id") == 2))'
ok checkpoint-with
