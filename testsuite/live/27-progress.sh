#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job tells how far it is with sfair.py or libsfair, and everybody can see it;
# it learns what is left of its lease, writes a checkpoint when that ends, and
# what it told outlives the requeue. Who does not own the job, and a run that is
# over, are refused.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
port=$(python3 -c '
import socket
s = socket.socket()
s.bind(("", 0))
print(s.getsockname()[1])')
cat >"$conf" <<-EOT
	Listen=$port
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=20 CheckpointGrace=5
EOT
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out

cat >"$out/train.py" <<'EOT'
import os, sys, time
import sfair

state = sys.argv[1]
done = int(open(state).read()) if os.path.exists(state) else 0
left = sfair.lease_remaining()
print("run", os.environ.get("SLURM_RESTART_COUNT", 0), "from", done, flush=True)
print("left", left, flush=True)
sfair.on_lease_end(lambda: print("end", flush=True))
while not sfair.lease_ending():
    time.sleep(0.1)
    done += 1
    sfair.progress(done, 1000, iter_sec=0.1, loss=1 / done)
with open(state + ".new", "w") as new:
    new.write(str(done))
    new.flush()
    os.fsync(new.fileno())
os.rename(state + ".new", state)
print("saved", done, sfair.checkpointed(done), flush=True)
sys.exit(85)
EOT

# The plugin tells jobs where its sockets are: they need no variable of ours.
bare=(env -u SFAIR_SOCKET -u SFAIR_MUNGE_SOCKET -u MUNGE_SOCKET)
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1

# said ID EXPRESSION: of what sfair shows of a job.
said() {
	sfair job -j "$1" --json | python3 -c '
import json, sys
for job in json.load(sys.stdin)["jobs"]:
    progress, checkpoint = job["progress"] or {}, job["checkpoint"] or {}
    print(eval(sys.argv[1]))' "$2"
}
is() { [[ $(said "$1" "$2") == "$3" ]]; }

id=$("${bare[@]}" sbatch --parsable -o "$out/%j" --open-mode=append --chdir=/ \
	--gres=gpu:2 --signal=B:USR1@60 --requeue \
	--wrap "exec python3 $out/train.py $out/state")
wait_for 30 job_is "$id" RUNNING
wait_for 30 is "$id" 'progress.get("done", 0) > 0' True
check_eq "what it said" "(1000, 0.1, 0, True)" "$(said "$id" \
	'(progress["total"], progress["iter_sec"], progress["run"],
	progress["loss"] > 0)')"
sfair why "$id" | tr '\n' ' ' |
	grep >/dev/null ' of 1000 iterations ([0-9]* %), 0.1 s each' ||
	fail "sfair why says nothing of it: $(sfair why "$id")"
left=$(sed -n 's/^left //p' "$out/$id")
python3 -c 'import sys; assert 5 < float(sys.argv[1]) <= 20' "$left" ||
	fail "it was told that $left s were left of its lease of 20 s"

# ---- Who may say what.

cat >"$out/send.py" <<'EOT'
import json, os, sys
import sfair
env = dict(os.environ, ASTRAEA_POOL="gpu", SLURM_JOB_ID=sys.argv[1])
try:
    reply = sfair.exchange(sfair.Place(env), json.loads(sys.argv[2]))
    print(reply["lease"]["phase"])
except sfair.Refused as why:
    print(why.code)
EOT
chmod 644 "$out/send.py"
send() {
	"${@:3}" python3 "$out/send.py" "$1" "$2"
}
forged='{"request": "progress", "run": 0, "done": 999}'
check_eq "another user's report" denied "$(send "$id" "$forged" as_other)"
check_eq "another user's checkpoint" denied "$(send "$id" \
	'{"request": "checkpointed", "run": 0, "step": 999}' as_other)"
check_eq "a look at another's lease" leased "$(send "$id" \
	'{"request": "remaining"}' as_other)"
check_eq "a report of no job" not_found "$(send 4242 "$forged")"
check_eq "a run to come" malformed "$(send "$id" \
	'{"request": "progress", "run": 7, "done": 1}')"

# ---- The lease ends: it saves, and what it saved is known while it waits.

rival=$(submit --gres=gpu:2 --no-requeue --wrap 'exec sleep 1000')
wait_for 60 job_is "$rival" RUNNING
grep -qx end "$out/$id" || fail "its callback was not called"
step=$(sed -n 's/^saved \([0-9]*\) True$/\1/p' "$out/$id")
[[ $step && $step == "$(cat "$out/state")" ]] || fail "$(cat "$out/$id")"
wait_for 20 is "$id" 'checkpoint.get("step")' "$step"
check_eq "its columns" "$step|1000|0.100" \
	"$(sfair job -j "$id" -nP -o Saved,Total,IterTime)"
check_eq "restarts" 1 "$(said "$id" 'job["run"]')"
check_eq "the phase" waiting "$(said "$id" 'job["phase"]')"
check_eq "the run that is over" stale "$(send "$id" "$forged")"
scancel "$rival"
wait_for 30 job_is "$id" RUNNING
wait_for 30 is "$id" 'progress["run"]' 1
grep -qx "run 1 from $step" "$out/$id" || fail "run 1: $(cat "$out/$id")"
check "it goes on where it was" is "$id" "progress['done'] > $step" True

# ---- Once it has ended nothing is known.

scancel "$id"
gone() { [[ $(send "$id" '{"request": "remaining"}') == not_found ]]; }
wait_for 60 gone

# ---- The same from C, of another user, as on another host.

cat >"$out/train.c" <<'EOT'
#include <math.h>
#include <sfair.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	char text[200];

	printf("left %g\n", sfair_lease_remaining());
	sfair_progress(7, 70, 2, NAN);
	printf("saved %d\n", sfair_checkpointed(6));
	sfair_error(text, sizeof(text));
	printf("error %s\n", text);
	fflush(stdout);
	return (int)sleep(1000);
}
EOT
lib=${ASTRAEA_BUILDDIR:-$top/build}/libsfair.so
if ! command -v cc >/dev/null || [[ ${ASTRAEA_CHECKER-} ]]; then
	exit 0
fi
cp "$lib" "$out/libsfair.so.0"
cc -I "$top/src/client" -o "$out/train" "$out/train.c" "$out/libsfair.so.0" \
	-Wl,-rpath,"$out"
id=$(as_other "${bare[@]}" sbatch --parsable -o "$out/%j" --chdir=/ --gres=gpu:1 \
	--wrap "unset ASTRAEA_SOCKET; exec $out/train")
wait_for 30 is "$id" '(progress.get("done"), checkpoint.get("step"))' "(7, 6)"
grep -qx "saved 0" "$out/$id" || fail "$(cat "$out/$id")"
SFAIR_SOCKET=$(id -u)@127.0.0.1:$port sfair why "$id" >/dev/null ||
	fail "sfair over the network"
