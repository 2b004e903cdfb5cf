# SPDX-License-Identifier: GPL-2.0-or-later
"""A PyTorch loop that gives its GPUs back at a lease's end and goes on later.

    run = sfair_torch.Checkpointer("out", model=model, optimizer=optimizer)
    for step in range(run.load(), total):
        loss = train_one(step)
        run.step(step + 1, total, loss)
    run.close()

At the lease's end step() writes a checkpoint and leaves with exit code 85;
Slurm starts the job again later, and load() says where to go on. The weights
at the end are those of a run that was never interrupted, to the bit, as far as
the operations are deterministic and the batches a function of the step
(StepBatches). Under torchrun, or with any torch.distributed process group, all
ranks call all of it: rank 0 writes, and all leave at the same step.

Outside a lease nothing but the checkpoint of every save_sec is left of it.
Needs sfair.py beside it. Tested with PyTorch 1.13; see doc/frameworks.md.
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
    """torch.distributed where this process is one of several, else None."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.distributed.is_available():
        return None
    dist = torch.distributed
    return dist if dist.is_initialized() and dist.get_world_size() > 1 else None


def agree(value):
    """The largest value, a small int, of all ranks: a collective call."""
    dist = _group()
    if not dist:
        return int(value)
    import torch
    device = "cuda" if dist.get_backend() == "nccl" else "cpu"
    flag = torch.tensor([int(value)], device=device)
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return int(flag.item())


def ending():
    """Whether the checkpoint signal has come to any of the ranks; the same
    answer on all: a collective call."""
    return bool(agree(sfair.lease_ending()))


def leave():
    """End this process for Slurm to start the job again; a collective call,
    so that no rank goes while another still writes: torchrun would end it."""
    end_group()
    sys.exit(CHECKPOINTED)


def end_group():
    """torch.distributed.destroy_process_group(), of all ranks, where there is
    one. PyTorch 1.13 hangs now and then when a thread of its group still lets
    go of the last message, and aborts when the group is left to the exit."""
    dist = _group()
    if dist:
        agree(0)
        time.sleep(0.2)
        dist.destroy_process_group()


def _my_rng():
    """State of the generators of this rank, in types that any pickle knows."""
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
    """State of the random generators of each rank; a collective call."""
    dist = _group()
    if not dist:
        return [_my_rng()]
    states = [None] * dist.get_world_size()
    dist.all_gather_object(states, _my_rng())
    return states


def set_rng_states(states):
    """Go on with them. A rank that was not there before keeps its own."""
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
    """Keeps what training needs to go on: of each of `parts` its state_dict(),
    and the random generators of each rank.

    folder: where checkpoints lie, the same for all runs and ranks of the job.
    keep_sec: a snapshot is taken into memory when the last is as old; it is
        what is left of a step that outlasts the grace. 0: after each step.
    save_sec: one is written when the last is as old, against a crash.
    parts: model=, optimizer=, scheduler=, scaler=: whatever has state_dict()
        and load_state_dict(). Of a DistributedDataParallel its .module.
    """

    def __init__(self, folder, keep_sec=30.0, save_sec=600.0, **parts):
        dist = _group()
        self.rank = dist.get_rank() if dist else 0
        self._parts = parts
        if self.rank:
            agree(0)  # rank 0 opens it first
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
        """Restore the newest checkpoint. Returns the number of steps done, 0
        where there is none."""
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
        """A step is complete, the `done`th. A collective call. Tells how far
        the job is; at the lease's end it writes a checkpoint and raises
        SystemExit(85)."""
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
        """Write a checkpoint of the last step; the work is done."""
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
    """The batch sampler of a DataLoader whose batches depend on nothing but the
    step: DataLoader(data, batch_sampler=StepBatches(len(data), 32, total)).

    Each epoch is a permutation of its own. A batch is shared out among the
    ranks, so a job that goes on with another number of them sees the same ones.
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
        steps = self.count // self.batch  # an epoch; what is over is left out
        epoch, order = -1, []
        for step in range(self.first, self.total):
            if step // steps != epoch:
                epoch = step // steps
                by = torch.Generator().manual_seed(self.seed + epoch)
                order = torch.randperm(self.count, generator=by).tolist()
            start = step % steps * self.batch
            yield order[start:start + self.batch][self.rank::self.world]


class Newest:
    """Which of the checkpoints that a framework has written is the newest
    complete one: a sfair.Store of their names. So one whose writing was cut
    short never counts, nor what a run that is over writes later.

    folder: where they lie, the same for all runs and ranks of the job."""

    def __init__(self, folder, name):
        self.folder = os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        self._store = sfair.Store(self.folder, name=name)

    def find(self):
        """(steps done, path); (0, None) where there is none."""
        found = self._store.load()
        if not found:
            return 0, None
        return found[0], os.path.join(self.folder, found[1].decode())

    def publish(self, step, name):
        """All of a file or folder has been written: make it durable and the
        newest. Raises sfair.Stale when this run is over."""
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
    """Make a file's content, or what a folder lists, durable."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
