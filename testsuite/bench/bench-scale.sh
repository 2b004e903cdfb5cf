#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 2,000 GPU jobs on 200 nodes of 8 GPUs, released at once: jobs started a
# second, and how long sbatch and squeue take meanwhile. Peer: sched/backfill of
# stock Slurm with the same jobs, in turn, tuned to look at all of them.
. "$(dirname "$0")/live.sh"

# Nodes have disks of their own, and the cheapest way to follow processes: here
# they are all on one machine.
spool=$(mktemp -d "${BENCH_SPOOL:-/dev/shm}/astraea.XXXXXX")
bench_remove+=("$spool")
tuned=bf_interval=2,bf_continue,bf_max_job_test=4000,default_queue_depth=4000
bench_alternate scale --nodes 200 --gpus 8 --cpus 32 \
	--slurm "SlurmdSpoolDir=$spool/%n" \
	--slurm ProctrackType=proctrack/pgid \
	--slurm "SchedulerParameters=$tuned" --slurm MinJobAge=3600
