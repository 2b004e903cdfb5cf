# SPDX-License-Identifier: GPL-2.0-or-later
"""Hugging Face's Trainer in a leased job.

    lease = sfair_transformers.Lease(args.output_dir)
    trainer = Trainer(model, args, train_dataset=data, callbacks=[lease])
    trainer.train(resume_from_checkpoint=lease.resume())

At the lease's end the callback lets the Trainer write a checkpoint after the
current step and exits with code 85; Slurm starts the job again later. Do not
enable the Trainer's own checkpoint on SIGTERM as well, and keep
save_total_limit at 2 or more.

transformers' get_last_checkpoint() may return an incomplete checkpoint;
resume() does not. Tested against a stand-in, as Debian has no transformers;
written for 4.x and 5.x.
"""

import time

import sfair
import sfair_torch
from transformers import TrainerCallback

__all__ = ["Lease"]


class Lease(TrainerCallback):
    """output_dir: that of TrainingArguments, the same for all runs."""

    def __init__(self, output_dir):
        self._newest = sfair_torch.Newest(output_dir, "transformers")
        self._ending = False
        self._step = self._logged = None
        sfair.on_lease_end()

    def resume(self):
        """Returns the newest complete checkpoint, or None."""
        return self._newest.find()[1]

    def on_train_begin(self, args, state, control, **kwargs):
        sfair.on_lease_end(alone=True)

    def on_log(self, args, state, control, logs=None, **kwargs):
        self._logged = (logs or {}).get("loss", self._logged)

    def on_step_end(self, args, state, control, **kwargs):
        now = time.monotonic()
        total = state.max_steps if state.max_steps > 0 else None
        if state.is_world_process_zero:
            sfair.progress(state.global_step, total,
                           now - self._step if self._step else None,
                           self._logged)
        self._step = now
        if sfair_torch.ending() and state.global_step != total:
            self._ending = True
            control.should_save = control.should_training_stop = True
            control.should_evaluate = False
        return control

    def on_save(self, args, state, control, **kwargs):
        sfair_torch.agree(0)  # wait until all ranks have written their part
        if state.is_world_process_zero:
            self._newest.publish(state.global_step,
                                 f"checkpoint-{state.global_step}")
        if self._ending:
            sfair_torch.leave()
