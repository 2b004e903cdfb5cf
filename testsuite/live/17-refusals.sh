#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job that can never run is refused at once, with a line that tells its user
# why; nothing of it stays in the queue, and slurmctld goes on.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	LeaseTerm=10:00
	CheckpointGrace=30
	LeaseMin=2:00
	LeaseMax=1:00:00
	Pool=gpu Partitions=gpu
	Pool=own Partitions=own AllowNoLease=yes LeaseMax=10:00
EOT
start_cluster --nodes 3 --gpus 4 --astraea "$conf" \
	--slurm SchedulerType=sched/backfill \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES State=UP' \
	--slurm 'PartitionName=own Nodes=n3 State=UP'
rm -f "$conf"
chmod 755 "$CLUSTER_DIR/run"


# refused TEXT COMMAND...: it fails, and stderr has that line before Slurm's.
refused() {
	local text=$1 out
	shift
	if out=$(as_other timeout 20 "$@" 2>&1 >/dev/null); then
		fail "$*: accepted"
	fi
	grep -qxF -- "$(basename "$1"): error: $text" <<<"$out" ||
		fail "$*: said
$out
instead of
$(basename "$1"): error: $text"
}
batch() { refused "$1" sbatch "${@:2}" --wrap true; }

between="is not between 02:00 and 01:00:00"
batch "9 GPUs: all of partition gpu has 8 GPUs" --gpus=9
batch "12 GPUs: all of partition gpu has 8 GPUs" --array=1-3 -N3 --gres=gpu:4
batch "5 GPUs on one node: no node of partition gpu has more than 4" \
	--gres=gpu:5
batch "GPUs are leased in some of these partitions and not in others: name\
 only the ones or the others" -p gpu,cpu --gpus=1
batch "the partitions of one job must belong to one pool" -p gpu,own --gpus=1
batch "0: a heterogeneous job cannot have leased GPUs" --gpus=1 : -p cpu
batch "1: a heterogeneous job cannot have leased GPUs" -p cpu : --gpus=1
batch "--lease: 01:59 $between" --lease=1:59 --gpus=1
batch "--lease: 01:00:01 $between" --lease=1:00:01 --gpus=1
batch "--lease: 10:01 is not between 02:00 and 10:00" -p own --lease=10:01 \
	--gpus=1
batch "--lease=none is not allowed here" --lease=none --gpus=1
batch "--lease=soon: a lease is none or a time: MINUTES, MM:SS, HH:MM:SS,\
 D-HH, D-HH:MM or D-HH:MM:SS" --lease=soon --gpus=1
refused "9 GPUs: all of partition gpu has 8 GPUs" srun --gpus=9 true
refused "9 GPUs: all of partition gpu has 8 GPUs" salloc --gpus=9 true
refused "--lease: 01:00 $between" srun --gpus=1 --lease=1 true
if [[ $SPREAD_ENDS ]]; then # 24.05 and 24.11 would die of it, before it runs
	for words in --gpus=3 "-n2 --gpus-per-task=1"; do
		# shellcheck disable=SC2086
		batch "--spread-job with --gpus or --gpus-per-task would end this release's slurmctld: leave it out, or ask for --gpus-per-node" \
			--spread-job $words
	done
else
	scancel "$(submit --spread-job --gpus=3 --hold --wrap true)"
fi
submit --spread-job -N2 --gpus-per-node=1 --wrap true >/dev/null
nothing_left() { [[ ! $(squeue -h) ]]; }
wait_for 30 nothing_left

# The bounds themselves, all GPUs, and what a pool allows: no reason to refuse.
as_user() { as_other sbatch --parsable -o /dev/null "$@" --wrap 'sleep 100'; }
all=$(as_user --gpus=8 --lease=2:00)
none=$(as_user -p own --gres=gpu:4 --lease=none)
longest=$(as_user --gres=gpu:4 --lease=1:00:00)
wait_for 20 job_is "$all" RUNNING
wait_for 20 job_is "$none" RUNNING
check_eq "a job of the longest lease" PENDING "$(job_state "$longest")"
terms() { sfair job --json 2>/dev/null | python3 -c '
import json, sys
for job in json.load(sys.stdin)["jobs"]:
    print(job["id"], int(job["lease_sec"]), job["revocable"], job["pinned"])'
}
known() { [[ $(terms | wc -l) == 3 ]]; }
wait_for 20 known
check_eq "what sfair knows of them" "$all 120 True
$none 600 False --lease=none
$longest 3600 True" "$(terms | sed 's/ $//' | sort -k2n)"
