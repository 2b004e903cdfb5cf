#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Agents that are killed, that send half a message and wait, or that bid as fast
# as they can: the rounds keep their interval, and others are answered.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis FairnessKnob=0
	RoundInterval=1
	LeaseTerm=4
	CheckpointGrace=1
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1
window=8 # seconds

cat >"$out/agent.py" <<'EOT'
"""An agent of another user's app, which never ends; its KIND tells what it does."""
import os, socket, sys, time
import sfair

kind = sys.argv[1]
while kind == "half":  # of a message, on as many connections as one gets
    held = []
    for _ in range(16):
        held.append(socket.socket(socket.AF_UNIX))
        held[-1].connect(os.environ["SFAIR_SOCKET"])
        held[-1].sendall(b"\0\0\1\0MUNGE:AwQDAADq")
    print("held", flush=True)
    time.sleep(4)
said = 0
while True:
    try:
        sfair.bid(rho={"slot": [4, 3, 2, 1]}, app="mine")
        said += 1
        if said == 1:
            print("bidding", flush=True)
    except (sfair.Refused, OSError):
        pass
    time.sleep(0 if kind == "flood" else 0.5)
EOT
chmod 644 "$out/agent.py"

agents=()
start_agent() {
	"${other_user[@]}" python3 "$out/agent.py" "$1" >"$out/$1" 2>&1 &
	agents+=($!)
}
stop_agents() {
	kill -KILL "${agents[@]}" 2>/dev/null
	wait "${agents[@]}" 2>/dev/null || true
	agents=()
}
said() { grep -qsx "$2" "$out/$1"; }

diag() { # GROUP KEY
	sfair diag --json | python3 -c '
import json, sys
print(json.load(sys.stdin)[sys.argv[1]][sys.argv[2]])' "$@"
}
rounds() { diag diag rounds; }

# How many rounds there are in so many seconds, in which root and others are
# answered.
count_rounds() {
	local before begin=${EPOCHREALTIME/.} end=$((SECONDS + window))
	before=$(rounds)
	while ((SECONDS < end)); do
		sfair auction -n >/dev/null || fail "sfair is not answered"
		sleep 0.3
	done
	echo $((($(rounds) - before) * window * 1000000 /
		(${EPOCHREALTIME/.} - begin)))
}
expect_pace() {
	local now
	now=$(count_rounds)
	((2 * now >= quiet)) ||
		fail "$1: $now rounds in $window s, and $quiet without"
	echo "$1: $now rounds in $window s, $quiet without"
}

# ---- Two apps that take turns.

submit --array=0-3 --gres=gpu:2 --wrap 'exec sleep 1000' >/dev/null
for _ in 1 2; do
	as_other sbatch -o /dev/null --chdir=/ --app=mine --gres=gpu:2 \
		--wrap 'exec sleep 1000' >/dev/null
done
known() { [[ $(sfair auction -nP -u games -o App) == mine ]]; }
wait_for 30 known
quiet=$(count_rounds)
((quiet >= 2)) || fail "$quiet rounds in $window s without any agent"

# ---- An agent is killed: its bid counts for two terms, then the estimate.

bid_is() { [[ $(sfair auction -nP -u games -o Bid) == "$1" ]]; }
start_agent good
wait_for 20 said good bidding
wait_for 20 bid_is agent
stop_agents
wait_for 40 bid_is estimate

# ---- Half messages on every connection that one user may have.

start_agent half
wait_for 20 said half held
expect_pace "half messages"
stop_agents

# ---- Bids as fast as they can be.

start_agent flood
start_agent flood
wait_for 20 said flood bidding
before=$(($(diag socket answered) + $(diag socket limited)))
expect_pace "a flood of bids"
now=$(($(diag socket answered) + $(diag socket limited)))
echo "$(((now - before) / window)) bids a second"
wait_for 20 bid_is agent
as_other timeout 60 bash -c \
	'until sfair tenant -n >/dev/null 2>&1; do sleep 0.1; done' ||
	fail "their user is never answered"
stop_agents
