#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 1,000 one-CPU jobs without GPUs on the nodes of a pool, whose GPUs are taken
# and waited for by other jobs. Peer: sched/backfill of stock Slurm with the
# same jobs, in turn.
. "$(dirname "$0")/live.sh"

# The part of the CPUs that a site would leave to such jobs.
bench_alternate unmanaged --nodes 4 --gpus 8 --cpus 32 \
	--slurm 'PartitionName=cpu Nodes=c1,n[1-4] MaxCPUsPerNode=16 State=UP' \
	--slurm SchedulerParameters=bf_interval=2,default_queue_depth=2000 \
	--slurm MinJobAge=3600
