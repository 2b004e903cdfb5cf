#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# PyTorch in a leased job, on as many GPUs as it gets, or on the CPU:
#
#	export PYTHONPATH=/usr/local/share/astraea/python
#	sbatch train-torch.py
#
# sbatch takes a program in any language. This one gets the signal itself, with
# "B:", as there is no shell that could die of it. On several GPUs:
# train-torchrun.sbatch. train.sbatch says what the options mean.
#
#SBATCH --gres=gpu:1
#SBATCH --time=1-00:00:00
#SBATCH --signal=B:USR1@60
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=train-torch-%j.out
"""A small model learns a made-up function. It keeps a journal of its steps and
prints a checksum of the weights at the end: of a run that was interrupted, the
same as of one that was not."""

import os
import time
import zlib

import sfair
import sfair_torch
import torch
from torch import nn

STEPS = int(os.environ.get("STEPS", 3600))
SECONDS = float(os.environ.get("SECONDS_A_STEP", 1))  # to make steps longer
JOB = os.environ.get("SLURM_JOB_ID", "0")
RUN = os.environ.get("SLURM_RESTART_COUNT", "0")
STATE = os.path.join(os.environ.get("STATE_DIR", "."), "train-torch-" + JOB)


def data():
    by = torch.Generator().manual_seed(1)
    x = torch.randn(512, 8, generator=by)
    return torch.utils.data.TensorDataset(x, x.pow(2).sum(1, keepdim=True))


def resized(before, now):
    """Nothing has to be moved: a checkpoint is of the whole model, and a batch
    has the same samples however many processes share it. What an own loop
    divides by their number it works out anew here."""
    if now:  # else the signal has come: what step() writes does for any number
        print(f"on {now} GPUs now, {before} before", flush=True)


def main():
    several = "RANK" in os.environ  # torchrun says so
    gpu = torch.cuda.is_available()
    if several:
        torch.distributed.init_process_group("nccl" if gpu else "gloo")
    rank = torch.distributed.get_rank() if several else 0
    device = f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if gpu else "cpu"
    if gpu:
        torch.cuda.set_device(device)

    # One seed for the weights, another one a rank for what is random later.
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.1),
                        nn.Linear(32, 1)).to(device)
    model = nn.parallel.DistributedDataParallel(net) if several else net
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    torch.manual_seed(100 + rank)

    if not rank:
        sfair.on_resize(resized)
    lease = sfair_torch.Checkpointer(STATE, model=net, optimizer=optimizer)
    done = lease.load()
    train = data()
    batches = sfair_torch.StepBatches(len(train), 32, STEPS, first=done)
    # A generator of its own: it draws a number whenever it begins.
    loader = torch.utils.data.DataLoader(train, batch_sampler=batches,
                                         generator=torch.Generator())
    journal = None if rank else open(STATE + ".journal", "a", buffering=1,
                                     encoding="utf-8")
    if not rank:
        print(f"run {RUN} on {os.uname().nodename}: after step {done}",
              flush=True)
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        # The ranks' gradients are averaged: each counts by its share of the
        # batch, which is not the same for all of, say, three.
        (loss * (len(x) * batches.world / batches.batch)).backward()
        optimizer.step()
        time.sleep(SECONDS)
        done += 1
        if journal:
            print(done, RUN, os.uname().nodename, time.time(), loss.item(),
                  file=journal)
        lease.step(done, STEPS, loss)
    lease.close()
    if not rank:
        weights = b"".join(p.detach().cpu().numpy().tobytes()
                           for p in net.parameters())
        print(f"finished: {done} steps, weights {zlib.crc32(weights):08x}")
    sfair_torch.end_group()


if __name__ == "__main__":
    main()
