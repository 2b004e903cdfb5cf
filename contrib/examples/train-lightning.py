#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Lightning in a leased job: sbatch train-lightning.py, with PYTHONPATH as for
# train-torch.py, which says why there is no shell. Without a GPU it takes the
# CPU.
#
#SBATCH --gres=gpu:1
#SBATCH --time=1-00:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=train-lightning-%j.out
"""A small model learns a made-up function, as in train-torch.py."""

import os
import time
import zlib

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.plugins.environments import SLURMEnvironment
from sfair_lightning import Lease
from torch import nn

STEPS = int(os.environ.get("STEPS", 3600))
SECONDS = float(os.environ.get("SECONDS_A_STEP", 1))
JOB = os.environ.get("SLURM_JOB_ID", "0")
STATE = os.path.join(os.environ.get("STATE_DIR", "."), "train-lightning-" + JOB)


class Model(LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1),
                                 nn.Linear(32, 1))

    def training_step(self, batch, batch_idx):
        time.sleep(SECONDS)
        x, y = batch
        return nn.functional.mse_loss(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


class Stream(torch.utils.data.IterableDataset):
    """Batches that depend on nothing but the step. Lightning does not put a
    data loader back to where it was: begin it there."""

    def __init__(self, first):
        self.first = first

    def __iter__(self):
        for step in range(self.first, STEPS):
            by = torch.Generator().manual_seed(step)
            x = torch.randn(32, 8, generator=by)
            yield x, x.pow(2).sum(1, keepdim=True)


def main():
    torch.manual_seed(1)
    model, lease = Model(), Lease(STATE)
    print("after step", lease.done, flush=True)
    # Lightning would call scontrol at the signal, and the job wait for it.
    plugins = [SLURMEnvironment(auto_requeue=False)] \
        if "SLURM_NTASKS" in os.environ else []
    trainer = Trainer(max_steps=STEPS, callbacks=[lease], plugins=plugins,
                      enable_checkpointing=False, logger=False,
                      enable_progress_bar=False)
    # A generator of its own: it draws a number whenever it begins.
    loader = torch.utils.data.DataLoader(Stream(lease.done), batch_size=None,
                                         generator=torch.Generator())
    trainer.fit(model, loader, ckpt_path=lease.resume())
    weights = b"".join(p.detach().cpu().numpy().tobytes()
                       for p in model.parameters())
    print(f"finished: {trainer.global_step} steps, "
          f"weights {zlib.crc32(weights):08x}")


if __name__ == "__main__":
    main()
