# SPDX-License-Identifier: GPL-2.0-or-later
"""Hugging Face's Trainer in a leased job.

    trainer = Trainer(model, args, train_dataset=data, callbacks=[Lease()])
    trainer.train(resume_from_checkpoint=last_checkpoint(args.output_dir))

At the lease's end the callback lets the Trainer write a checkpoint after the
step that is running and leaves with exit code 85; Slurm starts the job again
later. Do not enable the Trainer's own checkpoint on SIGTERM beside it.

transformers' get_last_checkpoint() returns one whose writing was cut short,
too. Here a checkpoint counts when it holds the file that the callback leaves in
it once it is complete. Tested against a stand-in, as Debian has no
transformers; written for 4.x and 5.x.
"""

import json
import os
import re
import time

import sfair
import sfair_torch
from transformers import TrainerCallback

__all__ = ["Lease", "last_checkpoint"]

COMPLETE = "sfair-complete.json"


def last_checkpoint(output_dir):
    """The newest complete checkpoint in a folder, or None."""
    try:
        names = os.listdir(output_dir)
    except FileNotFoundError:
        return None
    steps = [int(name[11:]) for name in names
             if re.fullmatch("checkpoint-[0-9]+", name) and
             os.path.exists(os.path.join(output_dir, name, COMPLETE))]
    if not steps:
        return None
    return os.path.join(output_dir, f"checkpoint-{max(steps)}")


class Lease(TrainerCallback):
    """For callbacks=; one for a Trainer."""

    def __init__(self):
        self._ending = False
        self._step = self._logged = None
        sfair.on_lease_end()

    def on_train_begin(self, args, state, control, **kwargs):
        sfair.on_lease_end(alone=True)

    def on_log(self, args, state, control, logs=None, **kwargs):
        self._logged = (logs or {}).get("loss", self._logged)

    def on_step_end(self, args, state, control, **kwargs):
        now = time.monotonic()
        total = state.max_steps if state.max_steps > 0 else None
        sfair.progress(state.global_step, total,
                       now - self._step if self._step else None, self._logged)
        self._step = now
        if sfair_torch.ending() and state.global_step != total:
            self._ending = True
            control.should_save = control.should_training_stop = True
            control.should_evaluate = False
        return control

    def on_save(self, args, state, control, **kwargs):
        folder = os.path.join(args.output_dir,
                              f"checkpoint-{state.global_step}")
        sfair_torch.agree(0)  # all ranks have written theirs
        if state.is_world_process_zero:
            mark(folder, state.global_step)
        if self._ending:
            sfair_torch.leave()


def mark(folder, step):
    """Say in a checkpoint's folder that it is complete, once all of it is on
    the disk."""
    for base, _, names in os.walk(folder):
        for name in names:
            sfair_torch.sync(os.path.join(base, name))
        sfair_torch.sync(base)
    path = os.path.join(folder, COMPLETE)
    with open(path + ".new", "w", encoding="utf-8") as out:
        json.dump({"step": step}, out)
    sfair_torch.publish(path + ".new", path)
    sfair.checkpointed(step)
