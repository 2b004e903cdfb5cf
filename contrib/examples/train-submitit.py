#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""submitit in leased jobs: python3 train-submitit.py submits two, with
PYTHONPATH as for train-torch.py, and waits for what they return.

The function counts steps, as steps.py does; it may be a PyTorch loop with
sfair_torch.Checkpointer just as well.
"""

import os
import sys
import time

import sfair
import submitit
from sfair_submitit import Leased

STEPS = int(os.environ.get("STEPS", 3600))
SECONDS = float(os.environ.get("SECONDS_A_STEP", 1))
FOLDER = os.path.abspath(os.environ.get("STATE_DIR", "."))


def train(steps):
    """Returns their sum; what is left of them after a lease goes on later."""
    folder = os.path.join(FOLDER, "submitit-" + os.environ["SLURM_JOB_ID"])
    os.makedirs(folder, exist_ok=True)
    with sfair.Store(folder) as store:
        step, total = store.load() or (0, b"0")
        total = int(total)
        print("after step", step, flush=True)
        while step < steps and not sfair.lease_ending():
            time.sleep(SECONDS)
            step += 1
            total += step
            store.put(step, b"%d" % total)
            sfair.progress(step, steps)
    if step < steps:
        sys.exit(85)
    return total


def main():
    executor = submitit.AutoExecutor(folder=os.path.join(FOLDER, "submitit"))
    executor.update_parameters(
        slurm_time=60 * 24, slurm_gpus_per_node=1,
        slurm_additional_parameters={"requeue": True})
    jobs = [executor.submit(Leased(train), STEPS) for _ in range(2)]
    for job in jobs:
        print("job", job.job_id, "returned", job.result())


if __name__ == "__main__":
    main()
