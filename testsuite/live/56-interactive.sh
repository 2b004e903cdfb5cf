#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# srun, salloc, steps, --immediate, --wait, --test-only, exit codes, output and
# environment of a job that runs again. One line "ok NAME" for each meaning.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

lease_cluster --needs select=CR_Core_Memory --accounting
for account in small big; do
	sacctmgr -i add account $account >/dev/null
	sacctmgr -i add user root account=$account >/dev/null
done
export SBATCH_ACCOUNT=small SLURM_ACCOUNT=small SALLOC_ACCOUNT=small
known() { sbatch --test-only -A small --wrap true 2>/dev/null; }
wait_for 60 known
named() { squeue -h -n "$1" -t R -o %i | head -n 1; }
has_named() { [[ $(named "$1") ]]; }
sacct_of() { sacct -nXP -j "$1" -o "$2"; }
sacct_is() { [[ $(sacct_of "$1" "$2") == "$3" ]]; }

# ---- srun and salloc.

said=$(timeout 60 srun -Q -n2 --gpus=2 bash -c 'echo $SLURM_PROCID' | sort | xargs)
check_eq "srun" "0 1" "$said"
ok srun
status=0
timeout 60 srun -Q --gpus=1 bash -c 'exit 7' 2>/dev/null || status=$?
check_eq "status of srun" 7 "$status"
ok srun-exit-code
said=$(echo hello | timeout 60 srun -Q --gpus=1 cat)
check_eq "srun's input" hello "$said"
ok srun-input
said=$(timeout 60 salloc -Q --gpus=2 bash -c \
	'srun bash -c "echo \$SLURM_JOB_ID \$CUDA_VISIBLE_DEVICES"')
[[ $said == [0-9]*' 0,1' ]] || fail "salloc: '$said'"
ok salloc-and-step
salloc -Q --no-shell -J kept --gpus=4
id=$(named kept)
taker=$(sleeper -A big --gpus=4)
sleep 9
check_eq "salloc beside a needier job" "RUNNING 0 PENDING" "$(job_state "$id") \
$(job_field "$id" Restarts) $(job_state "$taker")"
ok salloc-keeps-its-gpus

# ---- --immediate, --test-only: there is no place now.

for command in srun "salloc --no-shell"; do
	refused "allocate" \
		timeout 60 $command -Q -J now --immediate --gpus=1 true
	check "$command --immediate left a job" test -z "$(squeue -h -n now)"
	ok "${command%% *}-immediate-refused"
done
said=$(sbatch --test-only --gpus=1 --wrap true 2>&1)
[[ $said == *"to start at"* ]] || fail "--test-only: '$said'"
check_eq "jobs" "$id $taker" "$(squeue -h -S i -o %i | xargs)"
ok test-only
refused "" sbatch --test-only --gpus=99 --wrap true
ok test-only-refused
scancel "$taker" "$id"
wait_for 60 clean
said=$(timeout 60 srun -Q --immediate=20 --gpus=1 echo now)
check_eq "srun --immediate=20 with free GPUs" now "$said"
ok srun-immediate-seconds

# ---- With free GPUs that nobody waits for they start at once, as under stock
# Slurm: nothing is queued, and --immediate is granted. They have a lease.
# Slurm lets nothing start on a node that still cleans up after a job.

nobody_waits() { srun -Q --immediate --gpus=1 true 2>/dev/null; }
wait_for 60 nobody_waits # once a round has seen that
wait_for 60 clean
said=$(timeout 60 srun --immediate --gpus=1 bash -c \
	'echo $ASTRAEA_POOL $CUDA_VISIBLE_DEVICES' 2>&1)
check_eq "srun --immediate" "gpu 0" "$said"
ok srun-immediate
wait_for 60 clean
said=$(timeout 60 srun --gpus=1 true 2>&1)
check_eq "what srun says" "" "$said"
ok srun-not-queued
wait_for 60 clean
salloc -Q --immediate --no-shell -J held --gpus=2
held=$(named held)
phase() { sfair job -nP -j "$1" --format=Phase; }
is_leased() { [[ $(phase "$held" 2>/dev/null) == leased ]]; }
wait_for 60 is_leased
ok salloc-immediate

# ---- But not where somebody waits who may want these GPUs.

first=$(sleeper -A big --gpus=4)
says "$first" 'Lease:*'
refused "Unable to allocate" timeout 60 srun -Q --immediate --gpus=1 true
check_eq "the job that waited first" PENDING "$(job_state "$first")"
scancel "$held"
runs "$first"
ok immediate-behind-who-waits
cancel_all

# ---- sbatch --wait ends with the job, not with its lease.

(
	status=0
	timeout 300 sbatch -Q -J waited -o "$OUT/waited" --wait --gpus=1 \
		--chdir=/ --open-mode=append --signal=B:USR1 --wrap '
		trap "echo saved; exit 85" USR1
		echo "run ${SLURM_RESTART_COUNT-none} on $SLURM_JOB_NODELIST"
		until [ "${SLURM_RESTART_COUNT-}" ] && [ -e "$OUT/go" ]; do
			sleep 0.1
		done
		exit 3' || status=$?
	echo "$status" >"$OUT/wait-status"
) &
wait_for 60 has_named waited
waited=$(named waited)
take_back "$waited"
sleep 1
[[ $WAIT_ENDS ]] ||
	check "sbatch --wait ended with the lease" test ! -e "$OUT/wait-status"
give_back
restarts "$waited" 1
touch "$OUT/go"
wait_for 60 test -s "$OUT/wait-status"
[[ $WAIT_ENDS ]] || {
	check_eq "status of sbatch --wait" 3 "$(<"$OUT/wait-status")"
	ok sbatch-wait-over-lease-end
}
wait_for 60 job_is "$waited" FAILED
check_eq "output of both runs" "run none on n1
saved
run 1 on n1" "$(<"$OUT/waited")"
ok output-appended
ok restart-count
wait_for 60 sacct_is "$waited" state,exitcode 'FAILED|3:0'
check_eq "runs in sacct" "REQUEUED FAILED" \
	"$(sacct -D -nXP -j "$waited" -o state | xargs)"
ok sacct-record-of-each-run

# ---- Truncated without --open-mode=append, as Slurm's JobFileAppend says.

id=$(submit --gpus=1 --open-mode=truncate --wrap \
	'echo "run ${SLURM_RESTART_COUNT:-0}"; sleep 300')
wait_for 60 grep -qs 'run 0' "$OUT/$id"
take_back "$id"
give_back
wait_for 60 grep -qsx 'run 1' "$OUT/$id"
check_eq "lines" 1 "$(wc -l <"$OUT/$id")"
ok output-truncated
scancel "$id"

# ---- Steps, exit codes, and options that must do no harm.

# Slurm may hear of a step's end a moment after srun.
id=$(submit --gpus=2 -n2 --wrap '
	srun -n1 --gpus=1 --exact bash -c "echo one" &
	srun -n1 --gpus=1 --exact bash -c "echo two; exit 5" &
	wait; sleep 5; exit 0')
wait_for 60 job_is "$id" COMPLETED
check_eq "steps' output" "one two" "$(job_log "$id" | grep -x 'one\|two' |
	sort | xargs)"
ok steps-in-batch
wait_for 60 sacct_is "$id" state,exitcode,derivedexitcode 'COMPLETED|0:0|5:0'
ok derived-exit-code
id=$(submit --gpus=1 --mail-type=ALL --mail-user=games --wrap 'kill -TERM $$')
wait_for 60 job_is "$id" FAILED
wait_for 60 sacct_is "$id" state,exitcode 'FAILED|0:15'
ok exit-by-signal
ok mail-type
id=$(submit --gpus=1 -n2 --wrap 'srun -n2 --kill-on-bad-exit=1 bash -c \
	"((SLURM_PROCID)) && exit 4; sleep 300"; echo "srun $?"')
wait_for 60 job_is "$id" COMPLETED
check "srun did not end with its task" grep -q 'srun' "$OUT/$id"
ok kill-on-bad-exit

# ---- What cannot be a checkpoint signal.

for name in KILL STOP; do
	refused "cannot be caught" sbatch --gpus=1 --signal=$name --wrap true
	refused "cannot be caught" sbatch --gpus=1 --signal=B:$name@60 \
		--wrap true
done
id=$(sleeper --gpus=1 --signal=KILL@60 --no-requeue)
runs "$id"
sbatch -p cpu --parsable --signal=KILL@60 -o /dev/null --wrap true >/dev/null
ok signal-kill-refused

# ---- As under stock Slurm, no nodes will ever do.

for ask in $NO_SUCH_CPUS --mem-per-gpu=900G --nodelist=n2 --exclude=n1; do
	refused "node configuration is not available" \
		sbatch --gpus=1 $ask --wrap true
	ok "refused${ask%%=*}"
done
