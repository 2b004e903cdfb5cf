#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What criu dumps may write to pipes: every step is there once, also where the agent
# reads them. What criu cannot keep is said. Skipped where there is no criu 4.0 and
# none can be had, or where users may have no namespaces.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/dumps.sh
. "$(dirname "$0")/../lib/dumps.sh"
dump_cluster
on_failure() { [[ ! -e pipes/output ]] || { echo "---- output" && tail -n 20 pipes/output; }; }

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
		wait_for 60 eval '(($(wc -l <pipes/output) > 10 * (run + 1)))'
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
wait_for 60 eval '(($(grep -c connected "$id") == 2))'
ok checkpoint-with-streams
