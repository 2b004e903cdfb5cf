#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of doc/frameworks.md lose their GPUs in the middle and go on:
# each step is done once, and the weights at the end are those of a run that was
# never interrupted. PyTorch and torchrun are Debian's, on the CPU; Lightning,
# transformers and submitit are stand-ins of testsuite/standin. Without
# python3-torch only submitit's is tried.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

# has_torch PYTHON: Debian's may not be the first in PATH.
has_torch() { "$1" -c 'import torch.distributed.run' 2>/dev/null; }
python=$(command -v python3)
torch=''
if has_torch "$python"; then
	torch=1
elif has_torch /usr/bin/python3; then
	torch=1 python=/usr/bin/python3
fi

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 CheckpointGrace=7
EOT
start_cluster --nodes 1 --gpus 7 --astraea "$conf"
rm -f "$conf"
mkdir "$CLUSTER_DIR/bin"
ln -s "$python" "$CLUSTER_DIR/bin/python3"
export PATH=$CLUSTER_DIR/bin:$PATH PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$CLUSTER_DIR/bin:${top:?}/contrib/python
PYTHONPATH+=:$top/testsuite/standin
# Nobody is done before all are interrupted; then they make haste.
cat >"$CLUSTER_DIR/bin/sitecustomize.py" <<EOT
import os
if os.environ.get("SLURM_RESTART_COUNT"):
    os.environ["SECONDS_A_STEP"] = "0"
EOT
export STATE_DIR=$CLUSTER_DIR/out STEPS=120 SECONDS_A_STEP=1
export OMP_NUM_THREADS=1 # so that sums are the same
cd "$top/contrib/examples" || exit
out=$STATE_DIR

# ---- They run, until somebody else needs all GPUs.

./train-submitit.py >"$out/returned" &
submitit=$!
ids=()
if [[ $torch ]]; then
	for example in train-torch.py train-torchrun.sbatch \
		train-lightning.py train-transformers.py; do
		ids+=("$(submit --chdir=. "$example")")
	done
fi
submitted() { (($(squeue -h -o %i | wc -l) == ${#ids[@]} + 2)); }
wait_for 60 submitted
mapfile -t all < <(squeue -h -o %i)
past() {
	local n
	mapfile -t n < <(sfair job -nP -o Done 2>/dev/null)
	((${#n[@]} == ${#all[@]})) || return
	for n in "${n[@]}"; do
		[[ $n =~ ^[0-9]+$ ]] && ((n > 0)) || return
	done
}
wait_for 90 past
rival=$(submit --gres=gpu:7 --no-requeue --wrap true)
wait_for 60 job_is "$rival" COMPLETED

# ---- Meanwhile: what comes out without interruption.

alone() {
	STATE_DIR=$CLUSTER_DIR/alone SECONDS_A_STEP=0 SLURM_JOB_ID=$1 \
		python3 "${@:2}" | sed -n 's/.* weights //p'
}
want=()
if [[ $torch ]]; then
	mkdir "$CLUSTER_DIR/alone"
	torchrun=(-m sfair_torchrun --nproc_per_node=2 --rdzv_backend=c10d
		--rdzv_endpoint=localhost:0)
	want=("$(alone 1 train-torch.py)"
		"$(alone 2 "${torchrun[@]}" train-torch.py)"
		"$(alone 3 train-lightning.py)"
		"$(alone 4 train-transformers.py)")
fi

for id in "${all[@]}"; do
	wait_for 120 job_is "$id" COMPLETED
	check_eq "restarts of job $id" 1 "$(job_field "$id" Restarts)"
done

# ---- What they say.

wait "$submitit" || fail "train-submitit.py"
check_eq "what submitit's jobs returned" "7260 7260" \
	"$(sed 's/.* //' "$out/returned" | xargs)"
ok "submitit (stand-in)"
[[ $torch ]] || skip "python3-torch is not there: the others were not tried"

for i in "${!ids[@]}"; do
	log=$(job_log "${ids[i]}")
	check_eq "weights of job ${ids[i]}" "${want[i]}" \
		"$(sed -n 's/^finished: 120 steps, weights //p' <<<"$log")"
	[[ ${want[i]} ]] || fail "job ${ids[i]} has none"
	# It went on from a checkpoint.
	grep -qE '(after step|after checkpoint-)[^0-9]*[1-9]' \
		<<<"$log" || fail "job ${ids[i]} began anew: $log"
done
for id in "${ids[@]:0:2}"; do
	journal=$out/train-torch-$id.journal
	./steps.py --check --steps 120 --journal "$journal"
	# The loss, too, goes on as it would have.
	cut -d' ' -f5 "$journal" >"$out/loss.$id"
done
for i in 0 1; do
	cut -d' ' -f5 "$CLUSTER_DIR/alone/train-torch-$((i + 1)).journal" |
		cmp - "$out/loss.${ids[i]}" ||
		fail "the losses of job ${ids[i]} are others"
done
ok "PyTorch, torchrun; Lightning and transformers (stand-ins)"
