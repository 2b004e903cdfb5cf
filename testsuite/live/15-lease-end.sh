#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# At a lease's end a job gets its checkpoint signal, in its steps or, without one,
# in those of its processes that catch it, and its grace; how it ends then decides whether it completed, failed or goes on
# later. One without a signal is requeued by TERM and KILL. What cannot be
# requeued keeps its GPUs and is charged.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=15
	CheckpointGrace=8
	NoLeaseGPUs=none
	Pool=gpu Partitions=gpu
	Pool=site Partitions=site CheckpointSignal=USR2 CheckpointExit=77,78
	Tenant=small Accounts=small Weight=1
	Tenant=big Accounts=big Weight=100
EOT
start_cluster --needs minage=300 --nodes 2 --gpus 20 --cpus 64 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=site Nodes=n2 State=UP' \
	--slurm SlurmctldParameters=enable_expedited_requeue
rm -f "$conf"
out=$CLUSTER_DIR/out

# Run 0 of a job does what it is given and waits; a later one says so and ends.
# Each line of output has the time.
cat >"$out/head" <<'EOT'
#!/bin/bash
say() { echo "$(date +%s.%N) $*"; }
if ((SLURM_RESTART_COUNT)); then
	say "again run $SLURM_RESTART_COUNT"
	exit 0
fi
env | grep ^ASTRAEA_ | while read -r line; do say "$line"; done
EOT
declare -A job=()
# small NAME [SBATCH_ARGUMENT]... <<< what it does
small() {
	local name=$1
	shift
	{
		cat "$out/head" -
		echo 'say ready; while :; do sleep 0.2; done'
	} >"$out/$name.sh"
	job[$name]=$(submit -J "$name" -A small --gres=gpu:1 \
		--open-mode=append "$@" "$out/$name.sh")
}
export OUT=$out

# Prints "NAME got SIGNAL" when it gets USR1 or USR2; has a child that does too.
cat >"$out/tree.py" <<'EOT'
import os, signal, sys, time
name = sys.argv[1]
if len(sys.argv) > 2 and os.fork() == 0:
    name += "-child"
def got(number, _):
    os.write(1, b"%s got %d\n" % (name.encode(), number))
    os._exit(0)
signal.signal(signal.SIGUSR1, got)
signal.signal(signal.SIGUSR2, got)
signal.signal(signal.SIGTERM, lambda *_: None)
while True:
    time.sleep(1)
EOT

small zero --signal=USR1 <<<'trap "say USR1; exit 0" USR1'
small ckpt --signal=USR1 <<<'trap "say USR1; exit 85" USR1'
small dies --signal=USR1 <<<'say ready; exec srun sleep 1000'
small dies2 --signal=B:USR2 <<<'say ready; exec sleep 1000'
small three --signal=USR1 <<<'trap "say USR1; exit 3" USR1'
small deaf --signal=USR1 <<<'trap "say USR1" USR1; trap "say TERM; exit 1" TERM'
small cancelled --signal=USR1 <<<'trap "say USR1" USR1'
small plain <<<'trap "say USR1" USR1 USR2; trap "say TERM; exit 0" TERM'
small stubborn <<<'trap "say TERM" TERM'
small tree --signal=USR1 <<<'trap "say batch got USR1" USR1
sleep 1000 &
python3 $OUT/tree.py process with-child &
srun --overlap -n1 python3 $OUT/tree.py step &
say ready
while (($(grep -c " got " $OUT/$SLURM_JOB_ID) < 3)); do sleep 0.2; done
kill -0 %1 && say "sleep goes on"
exit 85'
# Slurm would hold it for its exit code.
small batch $EXPEDITE --signal=B:USR1 <<<'trap "say batch got USR1; exit 85" USR1
python3 $OUT/tree.py process &'
small keeps --no-requeue --signal=USR1 <<<'trap "say USR1; exit 0" USR1'
small again -p site <<<'trap "say USR2; exit 77" USR2'
small other -p site <<<'trap "say USR2; exit 85" USR2'
small own -p site --signal=USR1 <<<'trap "say USR2; exit 3" USR2
trap "say USR1; exit 78" USR1'
srun -Q -J srun -A small --gpus=1 sleep 1000 2>/dev/null &
salloc -Q --no-shell -J salloc -A small --gpus=1

running() { [[ $(squeue -h -t R -n "$1" -o %i) ]]; }
ready() { grep -q ready "$out/${job[$1]}" 2>/dev/null; }
for name in srun salloc; do
	wait_for 30 running $name
	job[$name]=$(squeue -h -n $name -o %i)
done
for name in "${!job[@]}"; do
	[[ $name == s@(run|alloc) ]] || wait_for 30 ready "$name"
done

check_eq "jobs that run" 17 "$(squeue -h -t R -A small -o %i | wc -l)"
for line in POOL=gpu LEASE_TERM=15 LEASE_GRACE=8 CHECKPOINT_SIGNAL=USR1; do
	grep -q " ASTRAEA_$line\$" "$out/${job[ckpt]}" ||
		fail "the job's environment lacks ASTRAEA_$line"
done
grep -q " ASTRAEA_CHECKPOINT_SIGNAL=USR2$" "$out/${job[again]}" ||
	fail "the site's signal is not in the environment"
grep -q " ASTRAEA_CHECKPOINT_SIGNAL=none$" "$out/${job[plain]}" ||
	fail "that there is no signal is not in the environment"

# Neither may start because a lease ended.
after=$(submit -p cpu -d "afterok:${job[ckpt]}:${job[dies]}:${job[deaf]}" \
	--wrap 'date +%s.%N')
never=$(submit -p cpu -d "afternotok:${job[ckpt]}" --wrap true)

# All GPUs but those of jobs that are never taken back.
until_go='until [ -e $OUT/go ]; do sleep 0.2; done; date +%s.%N'
big=$(submit -A big --gres=gpu:17 --wrap "$until_go")
site_big=$(submit -A big -p site --gres=gpu:20 --wrap "$until_go")

phase_is() {
	sfair job -nP -j "$1" -o Phase | grep >/dev/null -x "$2"
}
wait_for 40 phase_is "${job[deaf]}" grace # it was there before the other one
wait_for 40 grep -q " USR1" "$out/${job[cancelled]}"
scancel "${job[cancelled]}"
wait_for 40 job_is "$big" RUNNING
wait_for 20 job_is "$site_big" RUNNING

for name in srun salloc keeps; do
	check_eq "state of $name" RUNNING "$(job_state "${job[$name]}")"
	check_eq "restarts of $name" 0 "$(job_field "${job[$name]}" Restarts)"
done
! grep -q ' USR1$' "$out/${job[keeps]}" || fail "--no-requeue got a signal"
charged() {
	sfair lease --json | python3 -c '
import json, sys
for lease in json.load(sys.stdin)["leases"]:
    if lease["name"] == sys.argv[1]:
        print(lease["revocable"], lease["pinned"],
              lease["alloc_gpu_sec"] > 15)' "$1"
}
check_eq "sfair of --no-requeue" "False --no-requeue True" "$(charged keeps)"
check_eq "sfair of srun" "False srun or salloc True" "$(charged srun)"
check_eq "sfair of salloc" "False srun or salloc True" "$(charged salloc)"

# Who ended for good, and how.
check_eq "exit 0 in the grace" COMPLETED "$(job_state "${job[zero]}")"
check_eq "exit 3 in the grace" FAILED "$(job_state "${job[three]}")"
check_eq "exit code 3" 3:0 "$(job_field "${job[three]}" ExitCode)"
check_eq "cancelled in the grace" CANCELLED "$(job_state "${job[cancelled]}")"
check_eq "an exit code that is not in the site's list" FAILED \
	"$(job_state "${job[other]}")"
# Who waits for its next run.
requeued=(ckpt dies dies2 deaf plain stubborn tree batch again own)
for name in "${requeued[@]}"; do
	check_eq "state of $name" PENDING "$(job_state "${job[$name]}")"
	check_eq "restarts of $name" 1 "$(job_field "${job[$name]}" Restarts)"
done
check_eq "jobs after a lease's end" "PENDING PENDING" \
	"$(job_state "$after") $(job_state "$never")"

touch "$out/go"
for name in "${requeued[@]}"; do
	wait_for 60 job_is "${job[$name]}" COMPLETED
	check_eq "runs of $name" "again run 1" \
		"$(grep -o 'again .*' "$out/${job[$name]}")"
done
for name in zero three cancelled other; do
	check_eq "restarts of $name" 0 "$(job_field "${job[$name]}" Restarts)"
	! grep again "$out/${job[$name]}" || fail "$name ran again"
done
wait_for 20 job_is "$after" COMPLETED
check "afterok fired before the last run" awk \
	-v after="$(job_log "$after")" -v big="$(job_log "$big")" \
	'BEGIN { exit !(after > big) }'
check "afternotok fired" test ! -e "$out/$never"

# What reached whom.
said() { sed 's/^[0-9.]* //' "$out/${job[$1]}" | grep -x "$2" | sort; }
check_eq "TERM without a signal" TERM "$(said plain 'USR.\|TERM')"
check_eq "TERM before KILL" TERM "$(said stubborn 'USR.\|TERM' | uniq)"
check_eq "who got the signal" "process got 10
process-child got 10
sleep goes on
step got 10" "$(said tree '.* got .*\|sleep goes on')"
check_eq "who got the signal to the batch shell" "batch got USR1" \
	"$(said batch '.* got .*')"
check_eq "the site's signal" USR2 "$(said again 'USR.')"
check_eq "the job's own signal at that site" USR1 "$(said own 'USR.')"

# A job that goes on had its grace, and then TERM.
check_eq "signals of a job that goes on" "TERM USR1" \
	"$(said deaf 'USR.\|TERM' | xargs)"
awk '$2 == "USR1" { from = $1 } $2 == "TERM" { to = $1 }
	END { exit !(to - from > 6 && to - from < 16) }' "$out/${job[deaf]}" ||
	fail "the grace was not 8 s long: $(cat "$out/${job[deaf]}")"
