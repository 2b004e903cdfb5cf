#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A job of beside-stock: job.sh SECONDS [PREPARED]. It writes down when it
# starts. If it is prepared it checkpoints as contrib/examples/train.sbatch does,
# once in 20 s and at a signal; otherwise it begins anew each time.
#SBATCH --open-mode=append
here=$SLURM_SUBMIT_DIR
echo "$EPOCHREALTIME" >>"$here/jobs/$SLURM_JOB_ID.starts"
[[ ${2-} == 1 ]] || exec sleep "$1"
exec python3 "$here/steps.py" --steps "$((2 * $1))" --seconds 0.5 --every 40 \
	--checkpoint "$here/jobs/$SLURM_JOB_ID.ckpt" \
	--journal "$here/jobs/$SLURM_JOB_ID.journal"
