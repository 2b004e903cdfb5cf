# SPDX-License-Identifier: GPL-2.0-or-later
"""A PyTorch loop that gives its GPUs back at a lease's end and goes on later.

    run = sfair_torch.Checkpointer("out", model=model, optimizer=optimizer)
    for step in range(run.load(), total):
        loss = train_one(step)
        run.step(step + 1, total, loss)
    run.close()

At the lease's end step() writes a checkpoint and exits with code 85. Slurm
starts the job again later, and load() returns the step to go on from. The final
weights are identical to those of an uninterrupted run if the operations are
deterministic and the batches depend on the step alone (StepBatches). Under
torchrun, or with any torch.distributed process group, all ranks make all calls:
rank 0 writes, and all ranks exit at the same step.

Outside a lease only the checkpoints of every save_sec remain. Needs sfair.py in
the same folder. Tested with PyTorch 1.13; see doc/frameworks.md.
"""

import io
import os
import random
import sys
import time

import sfair

__all__ = ["CHECKPOINTED", "Checkpointer", "Newest", "StepBatches", "agree",
           "end_group", "ending", "leave", "rng_states", "set_rng_states"]

CHECKPOINTED = 85  # exit code: "start me again"
GO_ON, KEEP, SAVE, END = range(4)  # what all ranks do after a step


def _group():
    """Returns torch.distributed if this process is one of several, else None."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available():
        return None
    dist = torch.distributed
    return dist if dist.is_initialized() and dist.get_world_size() > 1 else None


def agree(value):
    """Returns the largest value, a small int, of all ranks. Collective call."""
    dist = _group()
    if not dist:
        return int(value)
    import torch
    device = "cuda" if dist.get_backend() == "nccl" else "cpu"
    flag = torch.tensor([int(value)], device=device)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return int(flag.item())


def ending():
    """Whether the checkpoint signal has come to any rank; all ranks get the same
    answer. Collective call."""
    return bool(agree(sfair.lease_ending()))


def leave():
    """Exits so that Slurm starts the job again. Collective call: if one rank
    left while another still wrote, torchrun would terminate that one."""
    end_group()
    sys.exit(CHECKPOINTED)


def end_group():
    """Destroys the process group, if there is one. Collective call. PyTorch 1.13
    sometimes hangs if a thread of the group has not yet freed the last message,
    and aborts if the group still exists at exit."""
    dist = _group()
    if dist:
        agree(0)
        time.sleep(0.2)
        dist.destroy_process_group()


def _my_rng():
    """Returns the state of this rank's generators, in types that any pickle
    knows."""
    torch = sys.modules.get("torch")
    numpy = sys.modules.get("numpy")
    state = {"python": random.getstate()}
    if torch:
        state["torch"] = torch.get_rng_state()
        if torch.cuda.is_available() and torch.cuda.is_initialized():
            state["cuda"] = torch.cuda.get_rng_state()
    if numpy:
        name, keys, *rest = numpy.random.get_state()
        state["numpy"] = (name, keys.tolist(), *rest)
    return state


def rng_states():
    """Returns the state of each rank's random generators. Collective call."""
    dist = _group()
    if not dist:
        return [_my_rng()]
    states = [None] * dist.get_world_size()
    dist.all_gather_object(states, _my_rng())
    return states


def set_rng_states(states):
    """Restores this rank's random generators. A rank without a saved state keeps
    its own."""
    dist = _group()
    rank = dist.get_rank() if dist else 0
    if rank >= len(states):
        return
    state = states[rank]
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    random.setstate(state["python"])
    if torch and "torch" in state:
        torch.set_rng_state(state["torch"])
    if torch and "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state(state["cuda"])
    if numpy and "numpy" in state:
        numpy.random.set_state(state["numpy"])


class Checkpointer:
    """Keeps what training needs to go on: the state_dict() of each of `parts`,
    and the random generators of each rank.

    folder: of the checkpoints, the same for all runs and ranks of the job.
    keep_sec: take a snapshot into memory when the last one is so old. It is
        what remains if a step outlasts the grace. 0: after each step.
    save_sec: write a checkpoint when the last one is so old, in case of a crash.
    parts: model=, optimizer=, scheduler=, scaler=: any objects with state_dict()
        and load_state_dict(). For a DistributedDataParallel give its .module.
    """

    def __init__(self, folder, keep_sec=30.0, save_sec=600.0, **parts):
        dist = _group()
        self.rank = dist.get_rank() if dist else 0
        self._parts = parts
        if self.rank:
            agree(0)  # rank 0 opens the store first
        else:
            os.makedirs(folder, exist_ok=True)
        self._store = sfair.Store(folder, name="torch")
        if not self.rank:
            agree(0)
        self._keep_sec, self._save_sec = keep_sec, save_sec
        self._kept = self._saved = self._stepped = time.monotonic()
        self._done = None
        sfair.on_lease_end()

    def load(self):
        """Restores the newest checkpoint. Returns its number of steps; 0: there
        is none."""
        import torch
        found = self._store.load()
        if not found:
            return 0
        step, data = found
        state = torch.load(io.BytesIO(data), map_location="cpu",
                           weights_only=False)
        for name, part in self._parts.items():
            part.load_state_dict(state["parts"][name])
        set_rng_states(state["rng"])
        self._done = step
        return step

    def step(self, done, total=None, loss=None):
        """Reports the progress after `done` steps. At the lease's end it writes
        a checkpoint and raises SystemExit(85). Collective call."""
        now = time.monotonic()
        sfair.progress(done, total, now - self._stepped or None,
                       None if loss is None else float(loss))
        self._done = done
        what = agree(self._wants(now))
        if what >= KEEP:
            self._keep()
        if what >= SAVE:
            self._save(must=what == END)
        if what == END and done != total:
            leave()
        self._stepped = time.monotonic()

    def close(self):
        """Writes a checkpoint of the last step at the end of the work.
        Collective call."""
        if self._done is not None:
            self._keep()
            self._save(must=True)
        agree(0)
        self._store.close()

    def _wants(self, now):
        if sfair.lease_ending():
            return END
        if self.rank:
            return GO_ON
        if now >= self._saved + self._save_sec:
            return SAVE
        return KEEP if now >= self._kept + self._keep_sec else GO_ON

    def _keep(self):
        import torch
        state = {"rng": rng_states()}
        if not self.rank:
            state["parts"] = {name: part.state_dict()
                              for name, part in self._parts.items()}
            data = io.BytesIO()
            torch.save(state, data)
            self._store.put(self._done, data.getvalue())
        self._kept = time.monotonic()

    def _save(self, must):
        self._saved = time.monotonic()
        if self.rank:
            return
        try:
            self._store.save()
        except OSError as why:
            if must:
                raise
            print("sfair_torch: no checkpoint was written:", why,
                  file=sys.stderr, flush=True)


class StepBatches:
    """A batch sampler for a DataLoader, whose batches depend on the step alone:
    DataLoader(data, batch_sampler=StepBatches(len(data), 32, total)).

    Each epoch has its own permutation. A batch is divided among the ranks, so a
    job that goes on with another number of ranks has the same batches.
    """

    def __init__(self, count, batch, total, first=0, seed=0):
        dist = _group()
        self.rank = dist.get_rank() if dist else 0
        self.world = dist.get_world_size() if dist else 1
        self.count, self.batch, self.seed = count, min(batch, count), seed
        self.first, self.total = first, total

    def __len__(self):
        return self.total - self.first

    def __iter__(self):
        import torch
        steps = self.count // self.batch  # of an epoch; the rest is left out
        epoch, order = -1, []
        for step in range(self.first, self.total):
            if step // steps != epoch:
                epoch = step // steps
                by = torch.Generator().manual_seed(self.seed + epoch)
                order = torch.randperm(self.count, generator=by).tolist()
            start = step % steps * self.batch
            yield order[start:start + self.batch][self.rank::self.world]


class Newest:
    """Finds the newest complete checkpoint of those that a framework has
    written, with a sfair.Store of their names. Incomplete checkpoints never
    count, nor do those that an ended run writes later.

    folder: of the checkpoints, the same for all runs and ranks of the job."""

    def __init__(self, folder, name):
        self.folder = os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        self._store = sfair.Store(self.folder, name=name)

    def find(self):
        """Returns (steps done, path); (0, None): there is none."""
        found = self._store.load()
        if not found:
            return 0, None
        return found[0], os.path.join(self.folder, found[1].decode())

    def publish(self, step, name):
        """Makes a checkpoint, a complete file or folder, durable and the newest.
        Raises sfair.Stale if this run is over."""
        path = os.path.join(self.folder, name)
        for base, _, names in os.walk(path):
            for one in names:
                _sync(os.path.join(base, one))
            _sync(base)
        if not os.path.isdir(path):
            _sync(path)
        _sync(self.folder)
        self._store.put(step, name.encode())
        self._store.save()


def _sync(path):
    """Makes a file's content, or a folder's list of names, durable."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
