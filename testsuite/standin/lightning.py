# SPDX-License-Identifier: GPL-2.0-or-later
"""A stand-in for Lightning, which Debian does not have: not Lightning's code,
only what can be seen of it from outside, as far as sfair_lightning touches it.

- The order of fit(): restore, signal handlers, on_train_start, batches.
- On SLURM, without auto_requeue=False, the requeue signal saves a checkpoint
  and calls `scontrol requeue`. RELEASE "2.0": the handler does it at once, and
  is not installed where there is one already. "2.6": it sets a flag, which the
  next hook acts upon, and a handler that was there is called as well.
- Handlers that were there before come back after fit().
- save_checkpoint() holds module, optimizer, counters and callbacks, and no
  random generators. A data loader begins anew.
"""

import os
import pickle
import signal
import subprocess
import sys

try:
    from torch.nn import Module
except ImportError:
    Module = object  # tests of the callback alone need no tensors

RELEASE = os.environ.get("STANDIN_LIGHTNING", "2.6")


class SLURMEnvironment:
    def __init__(self, auto_requeue=True, requeue_signal=signal.SIGUSR1):
        self.auto_requeue = auto_requeue
        self.requeue_signal = requeue_signal


class Callback:
    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        pass

    def on_sanity_check_start(self, trainer, pl_module):
        pass

    def on_train_start(self, trainer, pl_module):
        pass

    def on_train_batch_end(self, trainer, pl_module, outputs, batch,
                           batch_idx):
        pass


class LightningModule(Module):
    pass


class Trainer:
    def __init__(self, callbacks=(), max_steps=-1, plugins=(), **_):
        self.callbacks = list(callbacks)
        self.max_steps = max_steps
        self.environment = next(iter(plugins), None)
        if self.environment is None and "SLURM_NTASKS" in os.environ:
            self.environment = SLURMEnvironment()
        self.global_step = self.global_rank = 0
        self.estimated_stepping_batches = max_steps
        self._requeue = False

    def fit(self, model, train_dataloaders=None, ckpt_path=None):
        self.model, self.optimizer = model, model.configure_optimizers()
        if ckpt_path:
            self._restore(ckpt_path)
        before = self._register()
        try:
            self._call("on_sanity_check_start")
            self._call("on_train_start")
            self._loop(train_dataloaders)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def save_checkpoint(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        state = {"state_dict": self.model.state_dict(),
                 "optimizer": self.optimizer.state_dict(),
                 "global_step": self.global_step,
                 "callbacks": [c.state_dict() for c in self.callbacks]}
        with open(path, "wb") as out:
            pickle.dump(state, out)

    def _restore(self, path):
        with open(path, "rb") as data:
            state = pickle.load(data)
        self.model.load_state_dict(state["state_dict"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.global_step = state["global_step"]
        for callback, of_it in zip(self.callbacks, state["callbacks"]):
            callback.load_state_dict(of_it)

    def _register(self):
        if not self.environment or not self.environment.auto_requeue:
            return {}
        number = self.environment.requeue_signal
        before = signal.getsignal(number)
        if RELEASE == "2.0":
            if before in (None, signal.SIG_DFL):
                signal.signal(number, lambda *_: self._do_requeue())
            return {number: before}

        def handle(number, frame):
            if callable(before):
                before(number, frame)
            self._requeue = True
        signal.signal(number, handle)
        return {number: before}

    def _do_requeue(self):
        self.save_checkpoint(os.path.abspath("hpc_ckpt_1.ckpt"))
        subprocess.run(["scontrol", "requeue", os.environ["SLURM_JOB_ID"]],
                       check=False)

    def _call(self, hook, *args):
        if self._requeue:
            self._requeue = False
            self._do_requeue()
        for callback in self.callbacks:
            getattr(callback, hook)(self, self.model, *args)

    def _loop(self, batches):
        for index, batch in enumerate(batches):
            if self.global_step == self.max_steps:
                return
            loss = self.model.training_step(batch, index)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.global_step += 1
            self._call("on_train_batch_end", {"loss": loss}, batch, index)


# The names of Lightning's packages.
for _name in ("pytorch", "pytorch.callbacks", "pytorch.plugins",
              "pytorch.plugins.environments"):
    sys.modules[__name__ + "." + _name] = sys.modules[__name__]
