# SPDX-License-Identifier: GPL-2.0-or-later
"""submitit in a leased job: what it runs may call sfair and leave with 85.

    executor.update_parameters(
        slurm_additional_parameters={"requeue": True})
    executor.submit(sfair_submitit.Leased(train), 1000)

submitit asks for a signal itself, --signal=USR2@90 (SUBMITIT_PREEMPT_SIGNAL;
older ones: USR1). Its handler calls the function's checkpoint(), then
`scontrol requeue`, and ends with 255. Leased takes the signal away from that
handler, so that the function can finish its step, save, and leave with
sys.exit(85), as sfair_torch.Checkpointer does. submitit writes no result then,
and runs the same call again when Slurm starts the job the next time.

Tested against a stand-in, as Debian has no submitit; written for 1.5.
"""

import sfair

__all__ = ["SETUP", "Leased"]

# slurm_setup of scripts that were written for Astraea 1.0.
SETUP = []


class Leased:
    """A function for executor.submit(), which pickles it."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        sfair.on_lease_end(alone=True)
        return self.function(*args, **kwargs)
