#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair-agent beside a command, in a made-up lease: whose signals, output and end
# are whose.

set -euo pipefail

agent=${top_builddir:-build}/sfair-agent
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
lease=(
	env ASTRAEA_POOL=gpu SLURM_JOB_ID=1 SLURM_PROCID=0 ASTRAEA_LEASE_GRACE=60
	ASTRAEA_CHECKPOINT_SIGNAL=USR1 ASTRAEA_SOCKET="$work/none"
)

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# ends NAME WANT COMMAND...: what it ends with, its output in "out" and "err".
ends() {
	local name=$1 want=$2 code=0
	shift 2
	"$@" >out 2>err || code=$?
	[[ $code == "$want" ]] || fail "$name: $code instead of $want: $(cat err)"
}
says() {
	grep -qF -- "$1" err || fail "it says not \"$1\" but: $(cat err)"
}
wait_for() {
	local i
	for ((i = 0; i < 600; i++)); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "in vain: $*"
}

# ---- What it ends with, in a lease and outside.

for where in "" lease; do
	run=("$agent")
	[[ ! $where ]] || run=("${lease[@]}" "$agent")
	ends "a command" 0 "${run[@]}" true
	ends "its exit code" 3 "${run[@]}" -- bash -c 'exit 3'
	ends "its signal" 143 bash -c '"$@"' - "${run[@]}" -- bash -c 'kill -TERM $$'
	ends "no such command" 127 "${run[@]}" -- no-such-command
	says "error: no-such-command: No such file"
	ends "no command at all" 126 "${run[@]}" -- /etc/passwd
	ends "options of the command" 1 "${run[@]}" bash -c 'exit 1' --nonesuch
done
ends "an unknown option" 125 "$agent" --nonesuch true
says "unknown option --nonesuch"
ends "no word" 125 "$agent"
ends "a bad expression" 125 "$agent" --progress='(' true
says "--progress=(:"
ends "an expression without end" 125 "$agent" \
	--progress='((((a?){60}){60}){60})' true
says "nest fewer repetitions"
ends "a bad signal" 125 "$agent" --send=KILL true
ends "fields of nothing" 125 "$agent" --fields=done true

# ---- Output that is followed passes through, whole, and so does its end.

ends "much output" 0 "${lease[@]}" "$agent" --progress=tqdm -- \
	bash -c 'seq 200000; seq 3 >&2'
cmp -s out <(seq 200000) || fail "output was lost"
[[ $(cat err) == $'1\n2\n3' ]] || fail "errors were lost"
cat >endless.py <<'EOF'
import os
try:
    while True:
        print("x" * 100, flush=True)
except BrokenPipeError:
    os._exit(3)  # not another attempt to write what is left
EOF
code=$("${lease[@]}" "$agent" --progress=tqdm -- python3 endless.py | true
	echo "${PIPESTATUS[0]}")
[[ $code == 3 ]] || fail "a reader that has gone: $code"

# ---- Signals.

cat >saves.py <<'EOF'
import os, signal, sys, time

def save(number, _):
    if sys.argv[1] == "slow":
        time.sleep(0.5)
    open("saved", "w").write(str(number))
    sys.exit(85)

signal.signal(signal.SIGUSR1, save)
signal.signal(signal.SIGTERM, save)
open("ready", "w").write(str(os.getpid()))
time.sleep(60)
EOF
# begins COMMAND...: beside it, until saves.py has its handler.
begins() {
	rm -f ready saved pid
	"${lease[@]}" "$agent" "$@" 2>err &
	agent_pid=$!
	wait_for test -s ready
}
# ended NAME WANT: the same of a command that was begun.
ended() {
	local code=0
	wait "$agent_pid" 2>/dev/null || code=$?
	[[ $code == "$2" ]] || fail "$1: $code instead of $2: $(cat err)"
}
below='echo $$ >pid; setsid python3 saves.py "$1" & wait $!'

begins -- bash -c "$below" - fast
kill -USR1 "$agent_pid"
ended "a session of its own" 85
[[ $(cat saved) == 10 ]] || fail "it has got $(cat saved)"

begins --send=TERM -- bash -c "$below; exit 4" - fast
kill -USR1 "$agent_pid"
ended "another signal" 4
[[ $(cat saved) == 15 ]] || fail "it has got $(cat saved)"

# Slurm may have sent it to all: the shell dies, and the other saves still.
begins -- bash -c "$below" - slow
kill -USR1 "$(cat pid)" "$agent_pid"
ended "a shell that dies of it" 138
[[ -s saved ]] || fail "it was not waited for"

begins --exit=85 -- bash -c "$below; exit 1" - fast
kill -USR1 "$agent_pid"
ended "a launcher that hides its workers' exit code" 85
ends "a failure without a notice" 1 "${lease[@]}" "$agent" --exit=85 -- false
ends "a code that is none" 125 "$agent" --exit=256 true

begins -- python3 saves.py fast
kill -TERM "$agent_pid"
ended "a signal for the command" 85
[[ $(cat saved) == 15 ]] || fail "it has got $(cat saved)"

# Killed, it takes the command along: to Slurm the task is over.
begins -- bash -c 'echo $$ >pid; exec python3 saves.py fast'
kill -KILL "$agent_pid"
ended "a kill" 137
gone() { ! grep -q '^State:.[^ZX]' "/proc/$(cat pid)/status" 2>/dev/null; }
wait_for gone
