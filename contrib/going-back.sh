#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Show how a cluster goes from leases back to stock Slurm and forth again, with
# what squeue says at each step, on this machine, in about two minutes.
#
#   contrib/going-back.sh
#
# Starts a throw-away cluster of real Slurm daemons (2 nodes with 4 emulated
# GPUs each), does what doc/going-back.md says an administrator does, and stops
# everything. Needs root, and a build (build-aux/build.sh).

set -euo pipefail
umask 022 # jobs run as other users, too

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cluster=$top/testsuite/lib/cluster
(($# == 0)) || {
	sed -n '/^# Show/,/^# every/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
	exit 1
}

work=$(mktemp -d "${TMPDIR:-/tmp}/astraea-back.XXXXXX")
dir=$work/cluster # jobs and their output lie beside it
chmod 755 "$work"
trap '"$cluster" down "$dir" || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

step() { printf '\n== %s\n' "$*"; }
# run COMMAND...: as if it had been typed.
run() {
	printf '\n$ %s\n' "$*"
	"$@"
}
queue() { run squeue -o '%.8i %.7a %.2t %.10b %.5M %R'; }

# plugins CONFIG-LINE...: these instead of the lines for our plugins.
plugins() {
	sed -i '/^\(SchedulerType\|BurstBufferType\|PriorityType\|JobSubmitPlugins\|RequeueExit\)=/d' \
		"$dir/etc/slurm.conf"
	printf '%s\n' "$@" | tee -a "$dir/etc/slurm.conf" |
		sed 's/^/slurm.conf: /'
}
ours=(SchedulerType=sched/astraea BurstBufferType=burst_buffer/astraea
	PriorityType=priority/ltgf JobSubmitPlugins=astraea)
stock=(SchedulerType=sched/backfill PriorityType=priority/multifactor
	RequeueExit=85)

# restart [KILL]
restart() {
	printf '\n(slurmctld is %s and started)\n' \
		"$([[ ${1-} ]] && echo "killed with -9" || echo stopped)"
	"$cluster" stop "$dir" slurmctld "${1-TERM}"
	"$cluster" start "$dir" slurmctld
}

until_true() {
	local end=$((SECONDS + 60))
	until "$@"; do
		((SECONDS < end)) || {
			echo "going-back.sh: error: not within 60 s: $*" >&2
			exit 1
		}
		sleep 0.3
	done
}
# has COUNT STATE...: so many jobs are in these states.
has() { (($(squeue -h -r -t "$2" -o %i | wc -l) == $1)); }
waits() { squeue -h -t PD -o %r | grep -q "$1"; }
knows() { sfair lease -n >/dev/null 2>&1; }
signalled() { sfair lease -nP -o Phase | grep -q grace; }

# A job of an account that computes so many steps of half a second.
train() {
	(
		cd "$top/contrib/examples"
		STEPS=$2 SECONDS_A_STEP=0.5 STATE_DIR=$work/jobs sbatch \
			--parsable --account="$1" --output="$work/jobs/%j.out" \
			--job-name=train "${@:3}" train.sbatch
	)
}

step "A cluster with leases of 15 s: jobs that run, and some that wait"
mkdir "$work/jobs"
cat >"$work/astraea.conf" <<-EOT
	Pool=gpu Partitions=gpu LeaseTerm=15 CheckpointGrace=5 RoundInterval=1
	Tenant=vision Accounts=vision
	Tenant=speech Accounts=speech
EOT
"$cluster" up "$dir" --nodes 2 --gpus 4 --astraea "$work/astraea.conf" \
	>/dev/null
# shellcheck source=/dev/null
. "$dir/env"
for _ in 1 2; do train vision 120 --gres=gpu:4 >/dev/null; done
until_true has 2 R
train vision 80 --gres=gpu:4 >/dev/null
held=$(train speech 20 --gres=gpu:1 --hold)
before=$(train speech 80 --gres=gpu:4)
train speech 20 --gres=gpu:1 --dependency=afterok:"$before" >/dev/null
train speech 20 --gres=gpu:2 --array=1-3 >/dev/null
sbatch -p cpu -A speech -o /dev/null --wrap 'sleep 300' >/dev/null
until_true waits "Lease: waits for its turn"
queue
run sfair tenant

step "No more leases: whoever got his signal checkpoints in peace"
until_true signalled
queue
sed -i 's/^Pool=.*/& Leases=no/' "$dir/etc/astraea.conf"
echo
echo "astraea.conf: $(grep ^Pool= "$dir/etc/astraea.conf")"
run scontrol reconfigure
until_true eval '! waits Lease:'
sleep 8 # the graces
queue

step "Stock Slurm"
plugins "${stock[@]}"
restart
sleep 3
queue
run scontrol release "$held"
until_true eval '! has 0 CD'
sleep 10
queue

step "Forth again"
plugins "${ours[@]}"
sed -i 's/ Leases=no//' "$dir/etc/astraea.conf"
for _ in 1 2 3; do train vision 60 --gres=gpu:4 >/dev/null; done
restart
until_true knows
until_true waits "Lease: waits for its turn"
queue
run sfair tenant

step "Killed, and back with stock Slurm: what waits is stuck, until unpark.sh"
sleep 6 # slurmctld writes its jobs down
plugins "${stock[@]}"
restart KILL
sleep 3
queue
(cd "$top" && run contrib/unpark.sh)
until_true eval '! waits Lease:'
sleep 5
queue

step "Stopping the cluster"
