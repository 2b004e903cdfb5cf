# SPDX-License-Identifier: GPL-2.0-or-later
"""submitit in a leased job: its function may call sfair and exit with 85.

    executor.update_parameters(
        slurm_additional_parameters={"requeue": True})
    executor.submit(sfair_submitit.Leased(train), 1000)

submitit itself asks for a signal, --signal=USR2@90 (SUBMITIT_PREEMPT_SIGNAL;
older versions: USR1). Its handler calls the function's checkpoint(), then
`scontrol requeue`, and exits with 255. Leased replaces that handler. So the
function can finish its step, save, and exit with sys.exit(85), as
sfair_torch.Checkpointer does. Then submitit writes no result, and runs the same
call again when Slurm starts the job the next time.

Tested against a stand-in, as Debian has no submitit; written for 1.5.
"""

import sfair

__all__ = ["SETUP", "Leased"]

# For slurm_setup in scripts written for Astraea 1.0.
SETUP = []


class Leased:
    """A function for executor.submit(), which pickles it."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args, **kwargs):
        sfair.on_lease_end(alone=True)
        return self.function(*args, **kwargs)
