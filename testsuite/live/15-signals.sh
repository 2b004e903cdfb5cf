#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The checkpoint signal means what --signal means in Slurm: without B: the steps
# get it and the batch shell does not; with B: the batch shell alone. Where a
# program runs in the batch script, the signal reaches those processes that catch
# it and kills none. So a program that saves for longer than KillWait has saved
# at its lease's end, in all usual scripts, and also where its own handler
# requeues the job.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOF
	RoundInterval=1
	LeaseTerm=25
	CheckpointGrace=20
	Pool=gpu Partitions=gpu
	Tenant=small Accounts=small Weight=1
	Tenant=big Accounts=big Weight=100
EOF
start_cluster --needs minage=300 --nodes 2 --gpus 16 --cpus 64 --astraea "$conf" \
	--slurm KillWait=6
rm -f "$conf"
export OUT=$CLUSTER_DIR/out

# Its first run saves for 12 s at the signal, and ends as it is told; its next one
# says whether there is what the first has saved.
cat >"$OUT/train.py" <<'EOF'
import os, signal, subprocess, sys, time

state = "%s/state-%s-%s" % (os.environ["OUT"], os.environ["SLURM_JOB_ID"],
                            os.environ["SLURM_PROCID"])
how = sys.argv[1]

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())

def requeue():
    job = os.environ["SLURM_JOB_ID"]
    if "SLURM_ARRAY_JOB_ID" in os.environ:
        job = "%s_%s" % (os.environ["SLURM_ARRAY_JOB_ID"],
                         os.environ["SLURM_ARRAY_TASK_ID"])
    subprocess.check_call(["scontrol", "requeue", job])

def save(number, _):
    say("got", number)
    time.sleep(12)
    open(state, "w").close()
    say("saved")
    if how == "exit":
        os._exit(85)
    requeue()
    if how == "submitit":
        sys.exit(-1)

if int(os.environ.get("SLURM_RESTART_COUNT", 0)):
    say("resumed" if os.path.exists(state) else "lost")
    sys.exit(0)
signal.signal(signal.SIGUSR1, save)
signal.signal(signal.SIGUSR2, save)
if how != "exit":
    for number in (signal.SIGTERM, signal.SIGCONT):
        signal.signal(number, lambda *_: say("bypassed"))
say("ready")
while True:
    time.sleep(1)
EOF
# As torchrun: it knows TERM alone, and its worker has a session of its own.
cat >"$OUT/launcher.py" <<'EOF'
import os, signal, subprocess, sys

worker = subprocess.Popen([sys.executable, os.environ["OUT"] + "/train.py", "exit"],
                          start_new_session=True)

def term(number, _):
    os.write(1, b"launcher got %d\n" % number)
    worker.terminate()

signal.signal(signal.SIGTERM, term)
sys.exit(1 if worker.wait() else 0)
EOF
export SLURM_PROCID=0 # for a program that is no step

declare -A job=()
small() { # NAME [SBATCH_ARGUMENT]... <<<SCRIPT
	local name=$1
	shift
	{
		echo '#!/bin/bash'
		cat
	} >"$OUT/$name.sh"
	job[$name]=$(submit -J "$name" -A small --gres=gpu:1 --open-mode=append \
		--signal=USR1@90 "$@" "$OUT/$name.sh")
}
small step <<<'srun python3 $OUT/train.py exit'
small step_exec <<<'exec srun python3 $OUT/train.py exit'
small step_trap <<<'trap "echo shell; exit 3" USR1
srun python3 $OUT/train.py exit'
small two_nodes -N 2 <<<'srun python3 $OUT/train.py exit'
small batch <<<'python3 $OUT/train.py exit'
small batch_exec <<<'exec python3 $OUT/train.py exit'
small batch_trap --signal=B:USR1@90 <<<'trap "echo shell; kill -USR1 \$!" USR1
python3 $OUT/train.py exit &
wait $!
code=$?
((code < 128)) || wait $! || code=$?
exit $code'
small beside <<<'trap "echo shell; exit 3" USR1
srun --overlap sleep 1000 &
python3 $OUT/train.py exit'
small lightning <<<'srun python3 $OUT/train.py lightning'
small submitit --signal=USR2@90 <<<'srun --unbuffered python3 $OUT/train.py submitit'
small launcher <<<'((SLURM_RESTART_COUNT)) || exec python3 $OUT/launcher.py'
small array --array=1-2 <<<'srun python3 $OUT/train.py exit'

tasks=(step step_exec step_trap two_nodes batch batch_exec batch_trap beside
	lightning submitit launcher array_1 array_2)
for i in 1 2; do job[array_$i]=${job[array]}_$i; done
log_of() { cat "$OUT/$(squeue -h -t all -j "${job[$1]}" -o %A)" 2>/dev/null; }
logs() { [[ $(log_of "$1" | grep -c "$2") == "$3" ]]; }
for name in "${tasks[@]}"; do
	ranks=1
	[[ $name != two_nodes ]] || ranks=2
	wait_for 60 logs "$name" ready $ranks
done

until_go='until [ -e $OUT/go ]; do sleep 0.2; done'
big=$(submit -A big -N 2 --gres=gpu:16 --wrap "$until_go")
wait_for 100 job_is "$big" RUNNING
for name in "${tasks[@]}"; do
	check_eq "state of $name" "PENDING 1" \
		"$(job_state "${job[$name]}") $(job_field "${job[$name]}" Restarts)"
done
touch "$OUT/go"
for name in "${tasks[@]}"; do
	wait_for 60 job_is "${job[$name]}" COMPLETED
	saved=1 shell=0
	case $name in
	two_nodes) saved=2 ;;
	batch_trap) shell=1 ;;
	launcher) saved=0 ;;
	esac
	check_eq "what $name has saved, and its shell" "$saved $shell" \
		"$(log_of "$name" | grep -c saved) $(log_of "$name" | grep -c shell)"
	((!saved)) || check_eq "next run of $name" "$saved" \
		"$(log_of "$name" | grep -c resumed)"
	ok "$name"
done
check_eq "the launcher" "launcher got 15" "$(log_of launcher | grep launcher)"
