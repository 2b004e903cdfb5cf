# SPDX-License-Identifier: GPL-2.0-or-later
"""Lightning in a leased job.

    lease = sfair_lightning.Lease("out")
    trainer = Trainer(callbacks=[lease], max_steps=1000,
                      plugins=[SLURMEnvironment(auto_requeue=False)])
    trainer.fit(model, data, ckpt_path=lease.resume())

At the lease's end the callback lets Lightning write a checkpoint after the
batch that is running and leaves with exit code 85; Slurm starts the job again
later. auto_requeue=False: Lightning's own handler of USR1 calls scontrol, which
makes the job wait two minutes, or fails in a container. Forgotten, it does no
harm once training runs: the callback takes the signal away from it.

Not should_stop: Lightning does not heed it before min_steps, and validates
first. Tested against a stand-in, as Debian has no Lightning; written for 2.x.
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
    """folder: where its checkpoints lie, the same for all runs of the job.
    keep: how many of them, at least 1. save_sec: one is written when the last
    is as old, against a crash."""

    def __init__(self, folder, keep=2, save_sec=600.0):
        self.folder = os.path.abspath(folder)
        self._keep, self._save_sec = max(keep, 1), save_sec
        self._saved = time.monotonic()
        self._batch = self._rng = None
        sfair.on_lease_end()

    def resume(self):
        """The newest complete checkpoint, or None: fit()'s ckpt_path."""
        names = self._complete()
        return os.path.join(self.folder, names[-1]) if names else None

    @property
    def done(self):
        """Steps that the checkpoint of resume() has; 0 without one."""
        path = self.resume()
        return int(re.search("[0-9]+", os.path.basename(path))[0]) if path \
            else 0

    # Lightning asks all ranks for it, and gives it back, but keeps no random
    # generators itself.

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
        """All ranks call it: Lightning's save_checkpoint() is collective."""
        step = trainer.global_step
        path = os.path.join(self.folder, f"step-{step:012d}.ckpt")
        aside = path + f".{os.environ.get('SLURM_RESTART_COUNT', 0)}.new"
        trainer.save_checkpoint(aside)
        if not trainer.global_rank:
            sfair_torch.publish(aside, path)
            sfair.checkpointed(step)
            for name in self._complete()[:-self._keep]:
                os.unlink(os.path.join(self.folder, name))
        self._saved = time.monotonic()

    def _complete(self):
        try:
            names = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        return sorted(name for name in names if name.endswith(".ckpt"))
