#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that ends with 85 at the signal that Slurm sends before its time limit goes
# on in another run with the whole limit again, unless TimeLimitExit=fail. Not so a
# job that dies of the signal, nor one whose run was shorter than a minute: they
# would begin anew for ever.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOF
	RoundInterval=1
	LeaseTerm=600
	CheckpointGrace=20
	Pool=gpu Partitions=gpu
	Pool=fail Partitions=fail TimeLimitExit=fail
EOF
start_cluster --needs minage=300 --nodes 2 --gpus 16 --cpus 64 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=fail Nodes=n2 State=UP'
rm -f "$conf"
export OUT=$CLUSTER_DIR/out

cat >"$OUT/train.py" <<'EOF'
import os, signal, subprocess, sys, time

state = os.environ["OUT"] + "/state-" + os.environ["SLURM_JOB_ID"]

def save(*_):
    open(state, "w").close()
    if sys.argv[1:] == ["lightning"]:
        subprocess.check_call(["scontrol", "requeue", os.environ["SLURM_JOB_ID"]])
    else:
        os._exit(85)

if os.path.exists(state):
    print("resumed at", time.time(), flush=True)
    if sys.argv[1:] != ["spins"]:
        while not os.path.exists(os.environ["OUT"] + "/go"):
            time.sleep(0.2)
        sys.exit(0)
signal.signal(signal.SIGUSR1, save)
print("ready", flush=True)
while True:
    time.sleep(1)
EOF
declare -A job=()
small() { # NAME SCRIPT [SBATCH_ARGUMENT]...
	job[$1]=$(submit -J "$1" --gres=gpu:1 --requeue --open-mode=append "${@:3}" \
		--wrap "$2")
}
python='python3 $OUT/train.py'
small batch "exec $python" --signal=B:USR1@30 -t 2
small step "srun $python" --signal=USR1@30 -t 2
small array "srun $python" --signal=USR1@30 -t 2 --array=7
small lightning "srun $python lightning" --signal=USR1@30 -t 2
small dies 'exec sleep 1000' --signal=B:USR1@30 -t 2
small spins "srun $python spins" --signal=USR1@60 -t 1
small stays "srun $python" --signal=USR1@30 -t 2 --no-requeue
small fails "srun $python" --signal=USR1@30 -t 2 -p fail
job[array]+=_7

for name in dies spins stays fails; do
	wait_for 150 job_is "${job[$name]}" FAILED
	check_eq "restarts of $name" 0 "$(job_field "${job[$name]}" Restarts)"
	ok "$name"
done
runs_again() {
	[[ "$(job_state "$1") $(job_field "$1" Restarts)" == 'RUNNING 1' ]]
}
seconds() { date -d "$(job_field "$1" "$2")" +%s; }
for name in batch step array lightning; do
	# Slurm's own requeue takes two minutes.
	wait_for 60 runs_again "${job[$name]}"
	check_eq "seconds of the next run of $name" 120 "$(($(seconds \
		"${job[$name]}" EndTime) - $(seconds "${job[$name]}" StartTime)))"
done
touch "$OUT/go"
for name in batch step array lightning; do
	wait_for 60 job_is "${job[$name]}" COMPLETED
	ok "$name"
done
