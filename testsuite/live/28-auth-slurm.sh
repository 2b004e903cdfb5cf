#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# AuthType=auth/slurm (Slurm 24.05), and no munged: queries at the socket and over
# TCP, of root and of a user without slurm.key; libsfair, sfair.py and the agent in
# jobs; and what is said where nobody signs, the key is another one, the clock is
# wrong, or a request comes twice.
#
# auth/slurm has its sockets in /run, so the test has a /run of its own.
if [[ ! ${OWN_RUN-} ]]; then
	# shellcheck disable=SC2016
	OWN_RUN=1 exec unshare --mount --propagation private bash -c \
		'mount -t tmpfs tmpfs /run && exec bash "$@"' run "$0" "$@"
fi
. "$(dirname "$0")/../lib/live.sh"

[[ -e $(system_plugindir)/auth_slurm.so ]] ||
	skip "Slurm $(slurm_version) is without auth/slurm"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600" >"$conf"
start_cluster --auth slurm --nodes 2 --gpus 2 --astraea "$conf"
rm -f "$conf"
check "munged runs" test ! -e "$CLUSTER_DIR/pids/munged"
port=$(sed -n 's/^port=//p' "$CLUSTER_DIR/settings")
network="$(id -u)@127.0.0.1:$((port + 1000))"
unset SFAIR_SOCKET MUNGE_SOCKET

# ---- Queries: at the socket and over TCP, of root and of a user without the key.

mine=$(submit -J mine --gres=gpu:2 --wrap 'exec sleep 1000')
theirs=$(as_other sbatch --parsable -J theirs -o /dev/null --chdir=/ \
	--gres=gpu:1 --wrap 'exec sleep 1000')
for id in $mine $theirs; do wait_for 30 job_is "$id" RUNNING; done
jobs_told() { [[ $("$@" sfair job -nP -o JobName | sort | xargs) == "mine theirs" ]]; }
wait_for 20 jobs_told env
for where in '' "SFAIR_SOCKET=$network SFAIR_AUTH=auth/slurm"; do
	for who in env as_other; do
		# shellcheck disable=SC2086
		for asked in tenant "why $theirs" metrics diag top\ -bn1; do
			out=$($who env $where sfair $asked 2>&1) ||
				fail "$who $where sfair $asked: $out"
		done
	done
done
check_eq "where it is asked" "SFAIR_AUTH=auth/slurm" \
	"$(sfair --where | sed -n 's/^\(SFAIR_AUTH=[^:]*\):.*/\1/p')"
out=$(sfair check 2>&1) || fail "sfair check: $out"
out=$(sfair doctor 2>&1) || fail "sfair doctor: $out"
ok queries

# The plugin knows who asks: a user may not what an operator may.
complains 'operators may reset' as_other sfair diag --reset
complains 'operators may reset' as_other env SFAIR_SOCKET="$network" \
	SFAIR_AUTH=auth/slurm sfair diag --reset
sfair diag --reset >/dev/null
ok identity

# ---- Jobs: sfair.py and the agent, at the socket and over TCP.

export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1
says="import sfair, time
while True:
    sfair.progress(7, 1000, iter_sec=0.5)
    time.sleep(1)"
done_of() { sfair job -j "$1" --json 2>/dev/null | python3 -c '
import json, sys
said = json.load(sys.stdin)["jobs"][0]["progress"] or {}
print(said.get("done"))' 2>/dev/null; }
has_done() { [[ $(done_of "$1") == "$2" ]]; }
scancel "$mine" "$theirs"
step='while :; do echo step 9/1000; sleep 1; done'
for where in '' "env SFAIR_SOCKET=$network"; do
	id=$(submit --gres=gpu:1 --wrap "env; exec $where python3 -c '$says'")
	wait_for 40 has_done "$id" 7
	check_eq "who signs in job $id" auth/slurm \
		"$(sed -n 's/^ASTRAEA_AUTH=\([^:]*\):.*/\1/p' <<<"$(job_log "$id")")"
	scancel "$id"
	id=$(submit --gres=gpu:1 --wrap "exec $where sfair-agent \
		--progress='step ([0-9]+)/([0-9]+)' -- sh -c '$step'")
	wait_for 40 has_done "$id" 9
	scancel "$id"
done
ok jobs

# ---- Whom the server believes. Root has the key and can make any token.

cat >"$CLUSTER_DIR/out/forge" <<'EOT'
import base64, hashlib, hmac, json, os, socket, struct, sys, time
port, key_file = int(sys.argv[1]), sys.argv[2]
key = open(key_file, "rb").read()
url = lambda b: base64.urlsafe_b64encode(b).rstrip(b"=")

def token(key=key, alg="HS256", mark=None, **other):
    if mark is None:
        mark = "astraea request " + os.urandom(16).hex() + " "
    message = mark + '{"astraea":1,"request":"tenant"}'
    now = int(time.time())
    claims = dict(iat=now, exp=now + 60, ver=10752, ruid=0xffffffff,
                  context="sack", uid=0, gid=0, host="h",
                  payload=base64.b64encode(message.encode()).decode())
    claims.update(other)
    signed = b".".join((url(json.dumps(dict(alg=alg, typ="JWT")).encode()),
                        url(json.dumps(claims).encode())))
    return signed + b"." + (url(hmac.new(key, signed, hashlib.sha256).digest())
                            if alg != "none" else b"AA")

def ask(text):
    with socket.create_connection(("127.0.0.1", port), 20) as s:
        s.sendall(struct.pack(">I", len(text)) + text)
        got = b""
        while chunk := s.recv(65536):
            got += chunk
    return got[4:].decode()

def text_of(reply):
    if reply.count(".") == 2 and reply.startswith("eyJ"):
        part = reply.split(".")[1]
        says = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        reply = base64.b64decode(says["payload"]).decode()
    return reply

def expect(name, wanted, text):
    reply = text_of(ask(text))
    if wanted not in reply:
        sys.exit(f"{name}: {reply[:300]!r} lacks {wanted!r}")

good, now = token(), int(time.time())
expect("a good one", '"tenants"', good)
expect("the same again", "was sent before", good)
expect("another key", "another slurm.key", token(key=b"x" * 64))
expect("no signature", "another slurm.key", token(alg="none"))
expect("expired", "clocks", token(iat=now - 200, exp=now - 140))
expect("old", "clocks", token(iat=now - 200, exp=now + 600))
expect("future", "clocks", token(iat=now + 200, exp=now + 260))
expect("for another", "refuses", token(ruid=4242))
expect("a job's credential", "no token", token(context="cred"))
expect("a reply", "no request", token(mark="astraea reply "))
expect("an RPC", "no request", token(payload=base64.b64encode(b"\1hash").decode()))
expect("no token", "no token", b"a.b.c")
expect("MUNGE", "SFAIR_AUTH=auth/slurm", b"MUNGE:AwQDAAB:")
EOT
python3 "$CLUSTER_DIR/out/forge" $((port + 1000)) "$CLUSTER_DIR/etc/slurm.key" ||
	fail "the server believes what it should not"
ok tokens

# ---- After a start, a reconfigure, and with sackd, or nobody, at the socket.

restart_slurmctld KILL
answers() { "$@" sfair tenant >/dev/null; }
check "after a restart" answers env
check "after a restart, over TCP" answers env SFAIR_SOCKET="$network" \
	SFAIR_AUTH=auth/slurm
scontrol reconfigure
check "after a reconfigure" answers as_other
# A slurmd that ends takes the socket with it, whoever has made it.
for name in n1 n2 c1; do
	"$live_lib/cluster" stop "$CLUSTER_DIR" $name
done
sackd=
on_failure() { [[ ! $sackd ]] || kill $sackd; }
if command -v sackd >/dev/null; then
	sackd -D >"$CLUSTER_DIR/log/sackd.log" 2>&1 &
	sackd=$!
	signs() { answers as_other env \
		SLURM_SACK_SOCKET=/run/slurm/sack.socket 2>/dev/null; }
	wait_for 20 signs
	kill $sackd
	wait $sackd || :
	sackd=
fi
rm -rf /run/slurm /run/slurmctld
complains 'start sackd' sfair tenant
complains 'start sackd' env SFAIR_SOCKET="$network" SFAIR_AUTH=auth/slurm sfair tenant
ok daemons
