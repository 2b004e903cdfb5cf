#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# doc/programs.md: jobs with the lines that workflow programs and notebook servers
# submit are leased, kept or bounded as it says. One that is stopped is PENDING to
# whoever polls for it, and runs again by itself.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=5
	Unprepared=share
	UnpreparedMin=5
	Pool=gpu Partitions=gpu CheckpointGrace=2 RecallAfter=5
	Tenant=a Accounts=a
	Tenant=b Accounts=b
EOT
start_cluster --needs minage=300 --nodes 1 --gpus 8 --astraea "$conf"
rm -f "$conf"
cd "$CLUSTER_DIR/out" || exit
pinned() { sfair job -nP -j "$1" -o Pinned; }
share='declares no checkpoint, Unprepared=share'

# program [OPTION...]: submit what standard input has, as the program does.
program() { sbatch --parsable -A a "$@" 2>/dev/null; }
# runs_pinned JOB WHY
runs_pinned() { job_is "$1" RUNNING && [[ $(pinned "$1") == "$2" ]]; }

nextflow=$(program <<'EOT'
#!/bin/bash
#SBATCH -J nf-train
#SBATCH -o .command.log
#SBATCH --no-requeue
#SBATCH --signal B:USR2@30
#SBATCH -c 1
#SBATCH --gres=gpu:1
sleep 1000
EOT
)
wait_for 30 runs_pinned "$nextflow" --no-requeue
ok nextflow-is-never-interrupted

snakemake=$(program --job-name uuid --output out --export=ALL --comment rule \
	--ntasks-per-gpu=1 --gpus=1 --cpus-per-task=1 --requeue --wrap 'sleep 1000')
wait_for 30 runs_pinned "$snakemake" ''
ok snakemake-with-requeue-has-leases

dask=$(program <<'EOT'
#!/usr/bin/env bash
#SBATCH -J dask-worker
#SBATCH -n 1
#SBATCH -N 1
#SBATCH --cpus-per-task=1
#SBATCH -t 01:00:00
#SBATCH --gres=gpu:1
JOB_ID=${SLURM_JOB_ID%;*}
sleep 1000
EOT
)
wait_for 30 runs_pinned "$dask" "$share"
ok dask-keeps-its-gpus

ray=$(program <<'EOT'
#!/bin/bash
#SBATCH --job-name=test
#SBATCH --cpus-per-task=1
#SBATCH --nodes=1
#SBATCH --tasks-per-node=1
#SBATCH --gpus-per-task=1
#SBATCH --time=00:30:00
srun --nodes=1 --ntasks=1 sleep 1000 &
wait
EOT
)
wait_for 30 runs_pinned "$ray" "$share"
ok ray-keeps-its-gpus

jupyter=$(program <<'EOT'
#!/bin/bash
#SBATCH --output=jupyterhub_slurmspawner_%j.log
#SBATCH --job-name=spawner-jupyterhub
#SBATCH --export=PATH
#SBATCH --gres=gpu:4
trap 'echo SIGTERM received' TERM
srun sleep 1000
EOT
)
wait_for 30 runs_pinned "$jupyter" "$share"
ok a-notebook-keeps-its-gpus

# ---- The notebook came last and is beyond a's share of four once b comes.

other=$(submit -A b --requeue --gres=gpu:4 --wrap 'sleep 1000')
polled() { squeue -h -j "$jupyter" -o '%T %B'; }
is_polled() { [[ $(polled) == $1* ]]; }
wait_for 60 job_is "$other" RUNNING
wait_for 20 is_polled PENDING
check_eq "restarts within the share" '0 0 0' \
	"$(for id in "$nextflow" "$dask" "$ray"; do job_field "$id" Restarts; done | xargs)"
scancel "$other"
wait_for 60 is_polled "RUNNING n1"
ok who-polls-sees-it-wait-and-run-again
cancel_all
