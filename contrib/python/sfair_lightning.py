# SPDX-License-Identifier: GPL-2.0-or-later
"""Lightning in a leased job.

    lease = sfair_lightning.Lease("out")
    trainer = Trainer(callbacks=[lease], max_steps=1000,
                      plugins=[SLURMEnvironment(auto_requeue=False)])
    trainer.fit(model, data, ckpt_path=lease.resume())

At the lease's end the callback lets Lightning write a checkpoint after the
current batch and exits with code 85; Slurm starts the job again later.
auto_requeue=False: Lightning's own handler of USR1 calls scontrol, which makes
the job wait two minutes, or fails in a container. If you forget this option,
that handler does no harm once training runs: the callback replaces it.

The callback does not use should_stop: Lightning ignores that before min_steps,
and validates first. Tested against a stand-in, as Debian has no Lightning;
written for 2.x.
"""

import os
import re
import time

import sfair
import sfair_torch

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    from pytorch_lightning.callbacks import Callback

__all__ = ["Lease"]


class Lease(Callback):
    """folder: of the checkpoints, the same for all runs of the job. keep: how
    many checkpoints to keep, at least 1. save_sec: write a checkpoint when the
    last one is so old, in case of a crash."""

    def __init__(self, folder, keep=2, save_sec=600.0):
        self._newest = sfair_torch.Newest(folder, "lightning")
        self.done, self._path = self._newest.find()
        self._keep, self._save_sec = max(keep, 1), save_sec
        self._saved = time.monotonic()
        self._batch = self._rng = None
        sfair.on_lease_end()

    def resume(self):
        """Returns the newest complete checkpoint, of `done` steps, or None: for
        fit()'s ckpt_path."""
        return self._path

    # Lightning calls state_dict() on all ranks and restores the result. It
    # does not save the random generators itself.

    def state_dict(self):
        return {"rng": sfair_torch.rng_states()}

    def load_state_dict(self, state):
        self._rng = state["rng"]

    def on_sanity_check_start(self, trainer, pl_module):
        sfair.on_lease_end(alone=True)

    def on_train_start(self, trainer, pl_module):
        sfair.on_lease_end(alone=True)
        if self._rng:
            sfair_torch.set_rng_states(self._rng)
        self._saved = time.monotonic()

    def on_train_batch_end(self, trainer, pl_module, outputs, batch,
                           batch_idx):
        now = time.monotonic()
        if not trainer.global_rank:
            total = trainer.estimated_stepping_batches
            sfair.progress(trainer.global_step,
                           int(total) if 0 < total < 1 << 53 else None,
                           now - self._batch if self._batch else None,
                           self._loss(outputs))
        wish = 2 if sfair.lease_ending() else \
            not trainer.global_rank and now >= self._saved + self._save_sec
        wish = sfair_torch.agree(wish)
        if wish:
            self._save(trainer)
        if wish == 2:
            sfair_torch.leave()
        self._batch = time.monotonic()

    @staticmethod
    def _loss(outputs):
        loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        return None if loss is None else float(loss)

    def _save(self, trainer):
        """Saves a checkpoint. All ranks call it: Lightning's save_checkpoint()
        is collective."""
        step, run = trainer.global_step, os.environ.get("SLURM_RESTART_COUNT")
        name = f"step-{step:012d}.run-{run or 0}.ckpt"
        trainer.save_checkpoint(os.path.join(self._newest.folder, name))
        if not trainer.global_rank:
            self._newest.publish(step, name)
            self._prune(name)
        self._saved = time.monotonic()

    def _prune(self, newest):
        """Removes all except the newest checkpoints. Those with later names are
        of runs that are over."""
        folder = self._newest.folder
        names = sorted(name for name in os.listdir(folder)
                       if re.fullmatch(r"step-[0-9]+\.run-[0-9]+\.ckpt", name))
        before = [name for name in names if name < newest]
        for name in names:
            if name not in [newest, *before[len(before) - self._keep + 1:]]:
                os.unlink(os.path.join(folder, name))
