#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A training loop with a Last store under srun sfair-agent is preempted ten times
# at random moments and killed twice in the middle of a checkpoint: each run goes
# on from the newest complete snapshot, and every step is counted once. And a
# launcher whose workers have sessions of their own, as torchrun's.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

preemptions=10
kills=2
conf=$(mktemp)
cat >"$conf" <<-EOF
	NoLeaseGPUs=none
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=2 CheckpointGrace=1
EOF
start_cluster --needs minage=300 --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1
mkdir "$out/store"

# Its state is how often each step was done, and some MiB that tell whether they
# were read whole. Where the file "slow" is there, a snapshot stays without its
# sync for long.
cat >"$out/train.py" <<'EOF'
import hashlib, os, random, sys, time
import sfair

out = sys.argv[1]
run = os.environ.get("SLURM_RESTART_COUNT", "0")
sync = os.fsync

def slow_sync(fd):
    if os.path.exists(out + "/slow") and sfair.lease_ending():
        open(out + "/saving", "w").close()
        time.sleep(1000)
    sync(fd)

os.fsync = slow_sync
journal = open(out + "/journal", "a", buffering=1)
with sfair.Store(out + "/store", keep=2) as store:
    step, state = store.load() or (0, b"")
    counts = bytearray(state[:step])
    assert hashlib.sha1(counts).digest() * 200000 == state[step:] or not step
    journal.write("run %s from %d\n" % (run, step))
    while not sfair.lease_ending() and not os.path.exists(out + "/enough"):
        time.sleep(random.uniform(0.02, 0.2))
        step += 1
        counts.append(1)
        journal.write("step %s %d\n" % (run, step))
        store.put(step, bytes(counts) + hashlib.sha1(counts).digest() * 200000)
journal.write("saved %s %d\n" % (run, step))
sys.exit(0 if os.path.exists(out + "/enough") else 85)
EOF
# What a program that is still starting does about the signal: it dies of it.
cat >"$out/job.sh" <<'EOF'
#!/bin/bash
trap : USR1
srun sfair-agent -- python3 "$1/train.py" "$1" &
while wait $!; code=$?; kill -0 $! 2>/dev/null; do :; done
exit $((code == 138 ? 85 : code))
EOF

restarts() { job_field "$id" Restarts; }
has_begun() { grep -qs "^run $1 " "$out/journal"; }
has_worked() { grep -qs "^step $1 " "$out/journal"; }
is_over() { ! job_is "$id" RUNNING && [[ $(squeue -h -j "$id" -o %T) != COMPLETING ]]; }
doze() { sleep "0.$((RANDOM % 10))"; }
rival() {
	submit --uid=games --no-requeue --gres=gpu:2 --wrap 'exec sleep 0.1'
}
# SIGKILL to all processes of the job, slurmstepd aside, as soon as a snapshot is
# being written.
cat >"$out/kill.py" <<'EOF'
import glob, os, signal, sys, time

out, job, cluster = sys.argv[1:]
end = time.time() + 60
while not os.path.exists(out + "/saving") and time.time() < end:
    time.sleep(0.01)
assert glob.glob(out + "/store/*.tmp"), "nothing is being written"
marks = {"SLURM_JOB_ID=" + job, "CLUSTER_DIR=" + cluster}
for file in glob.glob("/proc/[0-9]*/environ"):
    try:
        if marks <= set(open(file, errors="replace").read().split("\0")):
            os.kill(int(file.split("/")[2]), signal.SIGKILL)
    except OSError:
        pass
EOF
newest() {
	python3 - "$out/store" <<'EOF'
import os, sys
files = [f.split(".") for f in os.listdir(sys.argv[1]) if f.endswith(".ckpt")]
print(max([(int(f[2]), int(f[1])) for f in files], default=(0, 0))[1])
EOF
}

id=$(submit --gres=gpu:2 --requeue --signal=USR1@60 --open-mode=append \
	"$out/job.sh" "$out")
run=0
# next: wait for the run to end, and for the next one. What it goes on from is
# what is in the folder.
next() {
	local from
	wait_for 60 is_over
	from=$(newest)
	((++run))
	[[ ! ${1-} ]] || scontrol update jobid="$id" starttime=now
	wait_for 60 has_begun "$run"
	check_eq "what run $run goes on from" "$from" \
		"$(sed -n "s/^run $run from //p" "$out/journal")"
}
preempted=0 killed=0
while ((preempted < preemptions || killed < kills)); do
	wait_for 60 has_worked "$run"
	if ((run % 5 != 3)); then
		doze
		rival >/dev/null
		next
		((++preempted))
		continue
	fi
	touch "$out/slow"
	rival >/dev/null
	python3 "$out/kill.py" "$out" "$id" "$CLUSTER_DIR"
	rm "$out/slow" "$out/saving"
	wait_for 60 is_over
	# On a slow machine the grace may have been over before.
	if scontrol requeue "$id"; then
		((++killed))
	else
		job_is "$id" PENDING || fail "it is $(job_state "$id")"
		((++preempted))
	fi
	next requeued
done
wait_for 60 has_worked "$run"
check_eq "restarts" $((preempted + killed)) "$(restarts)"
touch "$out/enough"
wait_for 60 job_is "$id" COMPLETED

# Each run that has saved lost nothing; the last one's state has all steps once.
python3 - "$out" <<'EOF' || fail "$(cat "$out/journal")"
import os, sys
sys.path.insert(0, os.environ["PYTHONPATH"])
import sfair
out = sys.argv[1]
last, start, saved = {}, {}, {}
for line in open(out + "/journal"):
    what, run, *rest = line.split()
    if what == "run":
        start[int(run)] = last[int(run)] = int(rest[1])
    elif what == "step":
        assert int(rest[0]) == last[int(run)] + 1, line
        last[int(run)] = int(rest[0])
    else:
        saved[int(run)] = int(rest[0])
for run in start:
    if run in saved:
        assert saved[run] == last[run], run
        assert start.get(run + 1, saved[run]) == saved[run], run
    else:
        assert start[run + 1] >= start[run], run
step, state = sfair.Store(out + "/store").load()
assert step == saved[max(saved)] and state[:step] == b"\1" * step

EOF

# ---- A launcher that knows nothing of the signal, and would die of it: only the
# agent gets it from Slurm. How far it is, it writes. The agent is in the command
# line, or comes by an option.

cat >"$out/launch.py" <<'EOF'
import os, signal, subprocess, sys, time

def say(line):
    os.write(1, (line + "\n").encode())

def save(*_):
    say("saved " + sys.argv[1])
    sys.exit(85)

if len(sys.argv) > 1:
    signal.signal(signal.SIGUSR1, save)
    say("works " + sys.argv[1])
    time.sleep(1000)
say("step = 30, loss = 0.5 (0.1 sec)")
workers = [subprocess.Popen([sys.executable, __file__, str(rank)],
                            start_new_session=True) for rank in range(2)]
codes = [worker.wait() for worker in workers]
say("codes %s" % codes)
sys.exit(max(codes))
EOF
launch() {
	submit --gres=gpu:1 --requeue --signal=B:USR1@60 --open-mode=append "$@"
}
ids=(
	"$(launch --wrap "exec sfair-agent --progress=tensorflow -- \
		python3 $out/launch.py")"
	"$(launch --agent=--progress=tensorflow \
		--wrap "exec python3 $out/launch.py")"
)
both_work() { [[ $(grep -c '^works' "$out/$1" 2>/dev/null) == 2 ]]; }
says_how_far() {
	[[ $(sfair job -j "$1" --json | python3 -c '
import json, sys
said = json.load(sys.stdin)["jobs"][0]["progress"] or {}
print(said.get("done"), said.get("loss"))') == "30 0.5" ]]
}
was_requeued() { [[ $(job_field "$1" Restarts) == 1 ]]; }
for id in "${ids[@]}"; do
	wait_for 30 both_work "$id"
	wait_for 30 says_how_far "$id"
done
wait_for 30 job_is "$(rival)" COMPLETED
for id in "${ids[@]}"; do
	wait_for 30 was_requeued "$id"
	scancel "$id"
	check_eq "what its processes say" "codes [85, 85] saved 0 saved 1" \
		"$(grep -E '^(saved|codes)' "$out/$id" | sort | head -3 |
			paste -sd ' ')"
done

# ---- Exit codes and signals are the task's, also where there is no agent.

ends_with() {
	local want=$1 code=0
	shift
	srun --gres=gpu:1 --chdir=/ "$@" >"$out/task" 2>"$out/errors" || code=$?
	check_eq "what $* ends with" "$want" "$code"
}
# shellcheck disable=SC2016
parent='cat /proc/$PPID/comm; exit 7'
ends_with 7 --agent bash -c "$parent"
check_eq "the task's parent" sfair-agent "$(cat "$out/task")"
# shellcheck disable=SC2016
ends_with 143 --agent bash -c 'kill -TERM $$'
# shellcheck disable=SC2016
ends_with 137 --agent bash -c "echo \$\$ >$out/pid; kill -KILL \$PPID; sleep 600"
task_is_gone() {
	! grep -q '^State:.[^ZX]' "/proc/$(cat "$out/pid")/status" 2>/dev/null
}
wait_for 20 task_is_gone
ends_with 7 --agent=--nonesuch bash -c "$parent"
grep -q 'unknown option --nonesuch' "$out/errors" || fail "$(cat "$out/errors")"
sed -i 's,agent=.*,agent=/nonesuch,' "$CLUSTER_DIR/etc/plugstack.conf"
ends_with 7 --agent bash -c "$parent"
check_eq "the task's parent" slurmstepd "$(cat "$out/task")"
grep -q 'agent: /nonesuch: .*runs without it' "$out/errors" ||
	fail "$(cat "$out/errors")"
