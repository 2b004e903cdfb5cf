#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A user asks sfair about the own jobs and sees no more than PrivateData lets
# through; whatever else is sent to the socket is answered with an error, or not
# at all, and disturbs nobody. The engine also runs where SchedulerType stays
# sched/backfill: heterogeneous CPU jobs are native then.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=12 CheckpointGrace=1" \
	>"$conf"
start_cluster --nodes 2 --gpus 4 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=cpu Nodes=c1,n2 State=UP' \
	--slurm SchedulerType=sched/backfill --slurm PrivateData=jobs,usage,nodes
rm -f "$conf"
pid=$(cat "$CLUSTER_DIR/pids/slurmctld")

mine=$(submit -J mine --gres=gpu:4 --wrap 'exec sleep 1000')
theirs=$(as_other sbatch --parsable -J theirs -o /dev/null --chdir=/ \
	--gres=gpu:4 --wrap 'exec sleep 1000')

# ---- The engine, without sched/astraea.

wait_for 20 job_is "$mine" RUNNING
het=$(submit -J het -p cpu : -p cpu --wrap 'srun --het-group=0,1 true')
wait_for 30 job_is "$het" COMPLETED
! out=$(submit --gres=gpu:1 : -p cpu --wrap true 2>&1) ||
	fail "a heterogeneous job with GPUs was accepted: $out"
wait_for 30 job_is "$theirs" RUNNING
check_eq "restarts of the first" 1 "$(job_field "$mine" Restarts)"

# ---- Who sees what.

shown() { "$@" sfair job -nP -o JobName | sort | xargs; }
both() { [[ $(shown env) == "mine theirs" ]]; }
wait_for 20 both
check_eq "jobs that a user sees" theirs "$(shown as_other)"
check_eq "tenants that a user sees" games \
	"$(as_other sfair tenant -nP -o Tenant)"
as_other sfair why "$theirs" | grep "Job $theirs of games" >/dev/null ||
	fail "sfair why of an own job: $(as_other sfair why "$theirs" 2>&1)"
! out=$(as_other sfair why "$mine" 2>&1) || fail "said of another's: $out"
! out2=$(as_other sfair why 4242 2>&1) || fail "said of no job: $out2"
check_eq "another's job and none" "${out//$mine/4242}" "$out2"
check_eq "lines of an error" 1 "$(wc -l <<<"$out")"
# So do the metrics.
counted() { awk '/^astraea_pool_jobs{/ { n += $2 } END { print n }' <<<"$1"; }
all=$(sfair metrics) || fail "metrics: $all"
own=$(as_other sfair metrics) || fail "metrics of a user: $own"
check_eq "jobs that root and a user count" '2 1' \
	"$(counted "$all") $(counted "$own")"
check_eq "tenants that a user's metrics name" 'tenant="games"' \
	"$(grep -o 'tenant="[^"]*"' <<<"$own" | sort -u)"
grep -qxF 'astraea_pool_gpus{pool="gpu"} 4' <<<"$own" ||
	fail "the pool has no 4 GPUs: $own"

# And nodes, which sinfo does not tell a user either.
nodes() { "$@" sfair top -bn1 --view=nodes | grep -cw n1 || true; }
check_eq "lines on n1 that root and a user see" '1 0' \
	"$(nodes env) $(nodes as_other)"

! out=$(as_other sfair diag --reset 2>&1) || fail "a user reset the numbers"
as_other sfair diag >/dev/null || fail "diag of a user"

# ---- What is no request.

cat >"$CLUSTER_DIR/out/send.py" <<'EOT'
import json, os, random, socket, struct, subprocess, sys
path = os.environ["SFAIR_SOCKET"]
munge = ["munge", "-S", os.environ["SFAIR_MUNGE_SOCKET"]]

def send(data, close=True):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(path)
    try:
        s.sendall(data)
        if close:
            s.shutdown(socket.SHUT_WR)
        reply = b""
        while chunk := s.recv(65536):
            reply += chunk
    except (BrokenPipeError, ConnectionResetError):
        return None
    return json.loads(reply[4:])["error"]["code"] if reply else None

def message(payload):
    return struct.pack(">I", len(payload)) + payload

def credential(text):
    return subprocess.run(munge, input=text, capture_output=True,
                          check=True).stdout

def expect(what, want, got):
    assert got in want, f"{what}: {got} instead of {want}"

good = {"astraea": 1, "request": "tenant"}
random.seed(1)
noise = bytes(random.randrange(256) for _ in range(5000))
expect("nothing", [None, "malformed"], send(b""))
expect("half a length", [None, "malformed"], send(b"\0\0"))
expect("half a message", [None, "malformed", "timeout"],
       send(struct.pack(">I", 100) + b"x"))
# The server does not wait for the rest, so the reply may be lost.
expect("too much", ["too_large", None], send(struct.pack(">I", 0x7fffffff) + b"x"))
expect("empty", ["auth", "malformed"], send(message(b"")))
expect("noise", ["auth"], send(message(noise)))
expect("noise without a length", [None, "auth", "too_large", "malformed"],
       send(noise))
expect("no credential", ["auth"], send(message(json.dumps(good).encode())))
for text in (b"", b"{", b"[]", b"null", noise, b"[" * 5000,
             b'{"astraea": 1}', b'{"astraea": 1, "astraea": 1}',
             json.dumps({**good, "extra": 1}).encode(),
             json.dumps({**good, "request": 7}).encode(),
             json.dumps({**good, "request": "drop"}).encode(),
             json.dumps({**good, "fields": ["colour"]}).encode(),
             json.dumps({**good, "users": "me"}).encode(),
             json.dumps({**good, "users": ["x" * 300]}).encode(),
             json.dumps({**good, "pools": ["p"] * 501}).encode(),
             json.dumps({**good, "request": "job", "jobs": [-1]}).encode()):
    expect(text[:60], ["malformed"], send(message(credential(text))))
expect("a later version", ["version"],
       send(message(credential(b'{"astraea": 2, "request": "new"}'))))
once = message(credential(json.dumps(good).encode()))
s = socket.socket(socket.AF_UNIX)
s.connect(path)
s.sendall(once)
assert b'"tenants"' in s.makefile("rb").read(), "a good request"
expect("a replayed credential", ["auth"], send(once))
# Many who say nothing.
silent = []
for _ in range(80):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    silent.append(s)
print("sent", flush=True)
sys.stdin.read()
EOT
mkfifo "$CLUSTER_DIR/out/wait"
python3 "$CLUSTER_DIR/out/send.py" <"$CLUSTER_DIR/out/wait" \
	>"$CLUSTER_DIR/out/sent" 2>&1 &
sender=$!
exec 7>"$CLUSTER_DIR/out/wait"
sent() { grep -q sent "$CLUSTER_DIR/out/sent" || ! kill -0 $sender 2>/dev/null; }
wait_for 60 sent
grep -qx sent "$CLUSTER_DIR/out/sent" || fail "$(cat "$CLUSTER_DIR/out/sent")"

# The silent ones are root's: another user is answered meanwhile, rounds go on,
# and in a few seconds root is answered, too.
as_other sfair tenant >/dev/null || fail "another user is not answered"
answered() { sfair diag >/dev/null 2>&1; }
wait_for 20 answered
exec 7>&-
wait $sender || fail "$(cat "$CLUSTER_DIR/out/sent")"
rounds() { sfair diag --json | python3 -c '
import json, sys; print(json.load(sys.stdin)["diag"]["rounds"])'; }
before=$(rounds)
more() { (($(rounds) > before)); }
wait_for 20 more
sfair diag --json | python3 -c '
import json, sys
socket = json.load(sys.stdin)["socket"]
for name, least in dict(malformed=15, unauthenticated=3, too_large=1).items():
    assert socket[name] >= least, (name, socket)
' || fail "sfair diag has not counted what was no request"
check_eq "slurmctld" "$pid" "$(pgrep -F "$CLUSTER_DIR/pids/slurmctld")"
restarted() { (($(job_field "$theirs" Restarts) >= 1)); }
wait_for 40 restarted

# ---- Nor does a user see more while slurmctld reads its configuration again.

gcc -shared -fPIC -o "$CLUSTER_DIR/rereads.so" "$live_lib/rereads.c"
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
SLURMCTLD_PRELOAD=$CLUSTER_DIR/rereads.so \
	"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
back() { [[ $(shown as_other) == theirs ]]; }
wait_for 20 back
(for ((i = 0; i < 15; i++)); do scontrol reconfigure; done) \
	>"$CLUSTER_DIR/out/rereads" 2>&1 &
rereads=$!
while kill -0 $rereads 2>/dev/null; do
	out=$(as_other sfair job --json 2>&1) || continue
	out=$(python3 -c '
import json, sys
reply = json.load(sys.stdin)
print(reply["cluster"], *(j["name"] for j in reply["jobs"]))' <<<"$out")
	[[ $out == *" theirs" && $out != *mine* && $out != " "* ]] ||
		fail "in a reconfigure a user is told: $out"
done
wait $rereads
