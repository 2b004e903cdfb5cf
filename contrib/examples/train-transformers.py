#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Hugging Face's Trainer in a leased job: sbatch train-transformers.py, with
# PYTHONPATH as for train-torch.py, which says why there is no shell.
#
#SBATCH --gres=gpu:1
#SBATCH --time=1-00:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=train-transformers-%j.out
"""A small model learns a made-up function, as in train-torch.py."""

import os
import time
import zlib

import torch
from sfair_transformers import Lease
from torch import nn
from transformers import Trainer, TrainingArguments

STEPS = int(os.environ.get("STEPS", 3600))
SECONDS = float(os.environ.get("SECONDS_A_STEP", 1))
JOB = os.environ.get("SLURM_JOB_ID", "0")
STATE = os.path.join(os.environ.get("STATE_DIR", "."),
                     "train-transformers-" + JOB)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1),
                                 nn.Linear(32, 1))

    def forward(self, x, labels):
        time.sleep(SECONDS)
        return {"loss": nn.functional.mse_loss(self.net(x), labels)}


def data():
    by = torch.Generator().manual_seed(1)
    x = torch.randn(512, 8, generator=by)
    y = x.pow(2).sum(1, keepdim=True)
    return [{"x": x[i], "labels": y[i]} for i in range(len(x))]


def main():
    torch.manual_seed(1)
    model = Model()
    args = TrainingArguments(
        output_dir=STATE, max_steps=STEPS, per_device_train_batch_size=32,
        logging_steps=10, save_steps=600, save_total_limit=2,
        report_to="none", use_cpu=not torch.cuda.is_available())
    lease = Lease(STATE)
    trainer = Trainer(
        model=model, args=args, train_dataset=data(), callbacks=[lease],
        optimizers=(torch.optim.Adam(model.parameters(), lr=0.01), None))
    last = lease.resume()
    print("after", last and os.path.basename(last), flush=True)
    trainer.train(resume_from_checkpoint=last)
    weights = b"".join(p.detach().cpu().numpy().tobytes()
                       for p in model.parameters())
    print(f"finished: {trainer.state.global_step} steps, "
          f"weights {zlib.crc32(weights):08x}")


if __name__ == "__main__":
    main()
