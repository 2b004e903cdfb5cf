#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Thirty jobs of all kinds that stock Slurm started keep their GPUs until they end
# when the plugins come, for many lease terms, whoever waits: they run once, get no
# signal and end with exit code 0. They are charged, and shown as jobs without leases.
# So it is after the cluster went back to stock Slurm and the plugins came again, and
# after a kill. Jobs that we start have leases.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/stock-and-ours.sh
. "$(dirname "$0")/../lib/stock-and-ours.sh"

options=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=4 CheckpointGrace=2 RecallAfter=2" \
	>"$options"
start_cluster --needs minage=300 --nodes 4 --gpus 20 --accounting --astraea "$options"
rm "$options"
for a in old guest new; do
	sacctmgr -i -Q add account $a >/dev/null
	sacctmgr -i -Q add user root account=$a >/dev/null
done
sacctmgr -i -Q add user games account=guest >/dev/null
stock_and_ours
export OUT=$CLUSTER_DIR/out
# job [steps]: say of each signal that comes; run until there is a file.
cat >"$OUT/job" <<'EOT'
#!/bin/bash
for s in HUP INT QUIT USR1 USR2 TERM CONT; do trap "echo signal $s" $s; done
if [[ ${1-} ]]; then
	srun "$OUT/job"
else
	until [[ -e $OUT/go ]]; do sleep 3; done
	echo end
fi
EOT
chmod 755 "$OUT/job"
all_in() { (($(squeue -h -r -t "$1" -A "$2" -o %A | wc -l) == $3)); }
# What became of the jobs of stock Slurm.
old_jobs() {
	local id

	for id in $stock_jobs; do
		echo "$id $(job_field "$id" Restarts) $(job_state "$id")"
	done
}

has_ended() { ! jobs -pr | grep >/dev/null -x "$1"; }
on_failure() {
	jobs -l
	squeue -r
	sacct -X -D -P -A old,guest -o JobIDRaw,State,ExitCode,Start,End
}

# ---- Stock Slurm with jobs of all kinds.

change stock TERM
while read -r options; do
	who=''
	[[ $options != *guest* ]] || who=as_other
	# shellcheck disable=SC2086
	$who sbatch -Q -o "$OUT/%j" --chdir=/ $options >/dev/null
done <<EOT
-A old --gres=gpu:1 : -A old --gres=gpu:1 $OUT/job
-A old -N1 --exclusive --gres=gpu:20 $OUT/job
-A old -N1 --exclusive $OUT/job steps
-A old -N2 --gres=gpu:1 $OUT/job
-A old -N2 --gres=gpu:1 --signal=B:USR1@60 $OUT/job
-A old -N2 --gres=gpu:1 --signal=USR1@60 $OUT/job steps
-A old -N2 --gres=gpu:1 -t 90 $OUT/job steps
-A guest -N2 --gres=gpu:1 --signal=B:USR1@60 $OUT/job
-A old --gres=gpu:1 $OUT/job
-A old --gpus=2 $OUT/job
-A old --gpus-per-node=1 --mem=1000 $OUT/job steps
-A old --gpus=a100:1 $OUT/job
-A old -n2 --gpus-per-task=1 $OUT/job steps
-A old --gres=gpu:1 --signal=USR1@60 $OUT/job
-A old --gres=gpu:1 --signal=USR1@60 -t 90 $OUT/job steps
-A old --gres=gpu:1 --no-requeue $OUT/job
-A old --gres=gpu:1 --requeue -J willing $OUT/job
-A old -p gpu $OUT/job
-A old -p cpu $OUT/job
-A old --gres=gpu:1 --array=1-2 $OUT/job
-A old --gres=gpu:1 --array=1-4%2 --signal=USR1@60 $OUT/job
-A guest --gres=gpu:1 $OUT/job
-A guest --gpus=1 --array=1-2 $OUT/job steps
-A guest --gres=gpu:3 $OUT/job
EOT
srun -Q -A old --gres=gpu:1 "$OUT/job" >"$OUT/srun" &
step=$!
salloc -Q -A old --gres=gpu:1 "$OUT/job" >"$OUT/salloc" &
shell=$!
wait_for 120 all_in RUNNING old,guest 30
stock_jobs=$(squeue -h -r -t RUNNING -A old,guest -o %A | sort -n)
before=$(old_jobs)
submit -A guest --gres=gpu:20 --begin=now+1hour "$OUT/job" >"$OUT/waits"
text=$(sfair check)
check "sfair check: $text" \
	grep '^[0-9]* running job records, of 2 users: they keep their GPUs' <<<"$text"
check "sfair check: $text" grep '^2 waiting job records, of 1 user: ' <<<"$text"
scancel "$(<"$OUT/waits")"
ok what-leases-would-mean-is-told-before

# ---- The plugins come. Another tenant that is due a third of the GPUs waits, and
# tasks of an array that runs.

change ours TERM
check_eq "the scheduler" sched/astraea "$(scontrol show config | sed -n 's/^SchedulerType *= //p')"
for i in 1 2 3 4; do
	submit -A new --gres=gpu:$((5 * i)) "$OUT/job" >/dev/null
done
submit -A new --gres=gpu:1 --array=1-20 "$OUT/job" >/dev/null
nap 24
check_eq "jobs of stock Slurm, six terms later" "$before" "$(old_jobs)"
first=$(squeue -h -n willing -o %A)
why=$(sfair why "$first" | xargs)
check "sfair why says: $why" grep >/dev/null \
	"never taken back (its run began without leases); it is charged" <<<"$why"
# Not the jobs without GPUs, srun, salloc, --no-requeue and heterogeneous ones.
doctor=$(sfair doctor | tr -s ' \n' ' ') || :
check "sfair doctor says: $doctor" grep >/dev/null \
	"the runs of 23 of them began without leases" <<<"$doctor"

# ---- Stock Slurm once more, and the plugins come again; then a kill.

change stock TERM
change ours TERM
nap 8
check_eq "jobs of stock Slurm after going back and forth" "$before" "$(old_jobs)"
change ours KILL
nap 8
check_eq "jobs of stock Slurm after a kill" "$before" "$(old_jobs)"

# ---- Whoever is willing gets leases.

without() {
	sfair lease -nP -o JobID,Pinned |
		sed -n 's/|its run began without leases$//p'
}
check "$first is among $(without)" grep >/dev/null -x "$first" <<<"$(without)"
as_other scontrol update JobId="$first" Requeue=1 2>/dev/null &&
	fail "anybody may give leases to a job of root"
check "$first is still among $(without)" grep >/dev/null -x "$first" <<<"$(without)"
scontrol update JobId="$first" Requeue=1
gave_way() { (($(job_field "$first" Restarts) >= 1)); }
wait_for 60 gave_way
others=$(grep -v "^$first " <<<"$before")
stock_jobs=$(cut -d' ' -f1 <<<"$others")
check_eq "jobs of the others" "$others" "$(old_jobs)"

# ---- They end by themselves, without a signal; what we start has leases.

touch "$OUT/go"
for pid in "$step" "$shell"; do
	wait_for 60 has_ended "$pid"
	wait "$pid"
done
wait_for 60 all_in RUNNING,PENDING old,guest 0
# Whether slurmdbd, which may hear of it later, knows of one run of each of the others.
ran_once() {
	local runs

	runs=$(sacct -n -X -D -P -j "$(xargs <<<"$stock_jobs" | tr ' ' ,)" \
		-o JobIDRaw,State,ExitCode | sort -n)
	[[ $runs == "$(sed 's/$/|COMPLETED|0:0/' <<<"$stock_jobs")" ]]
}
wait_for 60 ran_once
# A heterogeneous job has one script; srun and salloc write elsewhere.
for file in srun salloc $stock_jobs; do
	[[ ! -e $OUT/$file ]] ||
		check_eq "$file" end "$(grep '^end\|^signal' "$OUT/$file" | sort -u)"
done
wait_for 200 all_in RUNNING,PENDING new 0
rm "$OUT/go"
ours=$(submit -A old -N4 --gres=gpu:20 "$OUT/job")
wait_for 60 job_is "$ours" RUNNING
theirs=$(submit -A new --gres=gpu:4 --wrap true)
wait_for 90 job_is "$theirs" COMPLETED
check "a job of ours gave way" test "$(job_field "$ours" Restarts)" -ge 1
touch "$OUT/go"
wait_for 60 all_in RUNNING,PENDING old 0
