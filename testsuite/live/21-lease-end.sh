#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Each way in which a job may leave at the end of its lease, and that nothing
# that depends on it takes a checkpoint for its end.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=3" \
	>"$conf"
start_cluster --nodes 1 --gpus 8 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out

# script NAME TRAP: a batch script that runs on until it is told to leave.
script() {
	cat >"$out/$1.sh" <<-EOT
		#!/bin/bash
		${2:+trap '$2' USR1}
		echo "run \${SLURM_RESTART_COUNT:-0}"
		while :; do sleep 0.2; done
	EOT
}
script exit85 'echo got it; exit 85'
script exit0 'echo got it; exit 0'
script exit3 'echo got it; exit 3'
script ignore 'echo got it'
script none ''
cat >"$out/steps.sh" <<-'EOT'
	#!/bin/bash
	trap : USR1
	srun bash -c 'trap "echo step got it; exit 85" USR1
		while :; do sleep 0.2; done'
	exit $?
EOT

run() { submit --open-mode=append --gres=gpu:1 "$@"; }
a=$(run --signal=USR1 "$out/exit85.sh")
b=$(run --signal=USR1 "$out/exit0.sh")
c=$(run --signal=USR1 "$out/exit3.sh")
d=$(run --signal=USR1 "$out/none.sh")   # dies of the signal
e=$(run --signal=USR1 "$out/ignore.sh") # requeued at the end of its grace
f=$(run "$out/exit85.sh")		# declared none: TERM and KILL
g=$(run --signal=USR1 "$out/steps.sh")
h=$(run --no-requeue --signal=USR1 "$out/exit85.sh")
afterok=$(submit -d "afterok:$a" --gres=gpu:1 --wrap true)
afternotok=$(submit -d "afternotok:$a" --gres=gpu:1 --wrap true)
wait_for 10 job_is "$h" RUNNING
environment=$(scontrol show config >/dev/null; srun --jobid="$h" --overlap \
	env | grep '^ASTRAEA_' | sort)
rival=$(submit --gres=gpu:8 -N1 --time=1 --wrap 'sleep 2')
check_eq "lease in the environment" 6 \
	"$(sed -n 's/^ASTRAEA_LEASE_TERM=//p' <<<"$environment")"
check_eq "grace in the environment" 3 \
	"$(sed -n 's/^ASTRAEA_LEASE_GRACE=//p' <<<"$environment")"
check_eq "signal in the environment" USR1 \
	"$(sed -n 's/^ASTRAEA_CHECKPOINT_SIGNAL=//p' <<<"$environment")"

# A job of --no-requeue holds one GPU, so the rival has to be smaller.
scancel "$rival"
rival=$(submit --gres=gpu:7 --wrap 'sleep 2')
restarted() { (($(job_field "$1" Restarts) >= 1)); }
wait_for 40 job_is "$rival" COMPLETED
for id in "$a" "$d" "$e" "$f" "$g"; do wait_for 30 restarted "$id"; done
check_eq "exit 0" COMPLETED "$(job_state "$b")"
check_eq "exit 3" FAILED "$(job_state "$c")"
check_eq "restarts after exit 0" 0 "$(job_field "$b" Restarts)"
check_eq "--no-requeue" RUNNING "$(job_state "$h")"
check_eq "signals to --no-requeue" 0 "$(job_log "$h" | grep -c 'got it')"
check "exit 85 got the signal" grep -q 'got it' "$out/$a"
check "the grace was used" grep -q 'got it' "$out/$e"
check_eq "signals to a job that declared none" 0 \
	"$(job_log "$f" | grep -c 'got it')"
check_eq "signals to a step, once" 1 "$(job_log "$g" | grep -c 'step got it')"
check_eq "afterok of a checkpoint" PENDING "$(job_state "$afterok")"
check_eq "afternotok of a checkpoint" PENDING "$(job_state "$afternotok")"

# Requeued jobs go on at once, not after Slurm's two minutes.
for id in "$a" "$d" "$e" "$f" "$g"; do wait_for 30 job_is "$id" RUNNING; done
