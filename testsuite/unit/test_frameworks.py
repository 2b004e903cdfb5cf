#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The helpers for Lightning, transformers and submitit, with the stand-ins of
testsuite/standin: made-up modules of those names with the same order of calls
and the same use of signals. Each run is a process of its own, interrupted by
the checkpoint signal in the middle of a step. PyTorch is needed by its own
tests only, and real."""

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

top = os.path.abspath(os.environ.get("top_srcdir") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(top, "contrib", "python"))

import sfair_torchrun  # noqa: E402

# What they train: a number, and nothing but Python. It interrupts itself in
# the step that STOP names.
MODEL = """
import json, os, random, signal, sys
import sfair

told = []
sfair._client = sfair.Client(send=lambda place, request: (
    told.append(request), {"lease": {}, "report_sec": 1})[1])

class Loss(float):
    def backward(self): pass
    def item(self): return float(self)

class Model:
    weight, steps = 0.0, 0
    def train(self, x):
        self.steps += 1
        if os.environ.get("STOP") == str(self.steps):
            signal.raise_signal(getattr(signal, "SIG" + os.environ["SIGNAL"]))
        self.weight = self.weight / 2 + x + random.random()
        return Loss(self.weight)
    def state_dict(self): return {"w": self.weight, "n": self.steps}
    def load_state_dict(self, of): self.weight, self.steps = of["w"], of["n"]
    zero_grad = step = lambda self: None

def finish(model):
    print("told", [r["step"] for r in told if "step" in r], file=sys.stderr)
    print(model.steps, repr(model.weight))
"""

LIGHTNING = MODEL + """
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.plugins.environments import SLURMEnvironment
from sfair_lightning import Lease

class Module(Model, LightningModule):
    def training_step(self, batch, index): return self.train(batch)
    def configure_optimizers(self): return Model()

random.seed(1)
module, lease = Module(), Lease("out")
plugins = [SLURMEnvironment(auto_requeue=False)] if "POLITE" in os.environ \
    else []
trainer = Trainer(max_steps=20, callbacks=[lease], plugins=plugins)
trainer.fit(module, range(lease.done, 20), ckpt_path=lease.resume())
finish(module)
"""

TRANSFORMERS = MODEL + """
from sfair_transformers import Lease
from transformers import Trainer, TrainingArguments

class Module(Model):
    def __call__(self, x): return {"loss": self.train(x)}

random.seed(1)
args = TrainingArguments("out", max_steps=20, per_device_train_batch_size=1,
                         logging_steps=5, save_steps=7)
module, lease = Module(), Lease("out")
trainer = Trainer(model=module, args=args, train_dataset=range(20),
                  data_collator=lambda rows: {"x": rows[0]},
                  callbacks=[lease], optimizers=(Model(), None))
trainer.train(resume_from_checkpoint=lease.resume())
finish(module)
"""

SUBMITIT = MODEL + """
import pickle, submitit
from sfair_submitit import Leased

def train(steps):
    model = Model()
    if os.path.exists("state"):
        model.load_state_dict(json.load(open("state")))
    while model.steps < steps and not sfair.lease_ending():
        model.train(model.steps)
    if model.steps < steps:
        json.dump(model.state_dict(), open("state", "w"))
        sys.exit(85)
    return model.steps

if __name__ == "__main__":
    executor = submitit.AutoExecutor(folder="jobs")
    executor.update_parameters(
        slurm_additional_parameters={"requeue": True})
    print(executor.submit(Leased(train) if "LEASED" in os.environ else train,
                          20).job_id)
"""


class Framework(unittest.TestCase):
    python = sys.executable

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        # Slurm's commands: what they were called with is kept.
        for name, answer in (("scontrol", ""),
                             ("sbatch", "echo Submitted batch job 10")):
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="ascii") as out:
                out.write(f'#!/bin/sh\necho "{name} $*" >> {path}.log\n'
                          f"{answer}\n")
            os.chmod(path, 0o755)

    def out(self, *names):
        return os.path.join(self.folder, "out", *names)

    def calls(self, name):
        try:
            with open(os.path.join(self.folder, name + ".log"),
                      encoding="ascii") as text:
                return text.read().splitlines()
        except FileNotFoundError:
            return []

    def run_one(self, program, *words, **more):
        """(exit code, standard output, standard error) of a run."""
        path = os.path.join(self.folder, "program.py")
        with open(path, "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(program))
        env = {"PATH": self.folder + ":" + os.environ["PATH"],
               "PYTHONPATH": os.path.join(top, "contrib", "python") + ":" +
               os.path.join(top, "testsuite", "standin"),
               "PYTHONDONTWRITEBYTECODE": "1",
               "ASTRAEA_POOL": "gpu", "ASTRAEA_SOCKET": "/nonexistent",
               "SLURM_JOB_ID": "10", "SLURM_PROCID": "0", "SLURM_NTASKS": "1",
               "ASTRAEA_LEASE_GRACE": "60", "SIGNAL": "USR1", **more}
        env["ASTRAEA_CHECKPOINT_SIGNAL"] = env["SIGNAL"]
        ended = subprocess.run(
            [self.python, *(words or [path])], env=env, cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            check=False, timeout=600)
        return ended.returncode, ended.stdout, ended.stderr

    def check_interrupted(self, program, **more):
        """Three runs end as one does; slurmctld heard of their checkpoints."""
        code, whole, said = self.run_one(program, **more)
        self.assertEqual((code, whole[:3]), (0, "20 "), said)
        shutil.rmtree(self.out())
        for run, stop in enumerate(("5", "12")):
            code, out, said = self.run_one(program, STOP=stop,
                                           SLURM_RESTART_COUNT=str(run),
                                           **more)
            self.assertEqual((code, out), (85, ""), said)
        code, out, said = self.run_one(program, SLURM_RESTART_COUNT="2",
                                       **more)
        self.assertEqual((code, out), (0, whole), said)
        self.assertEqual(self.calls("scontrol"), [])


class Lightning(Framework):
    def test_goes_on_where_it_was(self):
        self.check_interrupted(LIGHTNING, POLITE="1")

    def test_takes_the_signal_from_old_releases(self):
        self.check_interrupted(LIGHTNING, STANDIN_LIGHTNING="2.0")

    def test_takes_the_signal_from_new_releases(self):
        self.check_interrupted(LIGHTNING, STANDIN_LIGHTNING="2.6")

    def test_lightning_alone_would_call_scontrol(self):
        bare = LIGHTNING.replace("callbacks=[lease]", "callbacks=[]").replace(
            '"out")', '"out"); signal.signal(signal.SIGUSR1, signal.SIG_DFL)')
        for release in "2.0", "2.6":
            self.run_one(bare, STOP="5", STANDIN_LIGHTNING=release)
        self.assertEqual(self.calls("scontrol"), ["scontrol requeue 10"] * 2)

    def test_old_checkpoints_go(self):
        for stop in "3", "6", "9":
            self.run_one(LIGHTNING, STOP=stop)
        names = sorted(name for name in os.listdir(self.out())
                       if name.startswith("step-"))
        self.assertEqual(names, [f"step-{n:012d}.run-0.ckpt" for n in (6, 9)])

    def test_a_torn_checkpoint_does_not_count(self):
        self.run_one(LIGHTNING, STOP="3")
        with open(self.out("step-000000000019.run-1.ckpt"), "wb"):
            pass
        code, _, said = self.run_one(LIGHTNING)
        self.assertEqual(code, 0, said)

    def test_what_a_run_that_is_over_writes_does_not_count(self):
        # In step 4 the next run begins elsewhere; it is stopped after six.
        both = LIGHTNING.replace("index): return", """index):
        if self.steps == 3 and "NEXT" in os.environ:
            next_run = dict(os.environ, SLURM_RESTART_COUNT="1", STOP="6")
            del next_run["NEXT"]
            import subprocess
            subprocess.run([sys.executable, *sys.argv], env=next_run)
        return""")
        code, _, said = self.run_one(both, NEXT="1", STOP="9")
        self.assertEqual(code, 1, said)
        self.assertIn("another run has taken this one's place", said)
        code, out, said = self.run_one(both, SLURM_RESTART_COUNT="2",
                                       STOP="7")
        self.assertEqual(code, 85, said)
        names = sorted(name for name in os.listdir(self.out())
                       if name.startswith("step-"))
        self.assertEqual(names, [f"step-{6:012d}.run-1.ckpt",
                                 f"step-{7:012d}.run-2.ckpt"])

class Transformers(Framework):
    def test_goes_on_where_it_was(self):
        self.check_interrupted(TRANSFORMERS)

    def test_a_torn_checkpoint_does_not_count(self):
        self.run_one(TRANSFORMERS, STOP="5")
        os.mkdir(self.out("checkpoint-19"))
        with open(self.out("checkpoint-19", "model"), "wb"):
            pass
        code, out, said = self.run_one(TRANSFORMERS)
        self.assertEqual((code, out[:3]), (0, "20 "), said)
        self.assertIn("told [7, 14, 20]", said)

    def test_the_last_step_is_the_end(self):
        code, out, said = self.run_one(TRANSFORMERS, STOP="20")
        self.assertEqual((code, out[:3]), (0, "20 "), said)


class Submitit(Framework):
    def submit(self, **more):
        self.assertEqual(self.run_one(SUBMITIT, **more)[:2], (0, "10\n"))
        with open(os.path.join(self.folder, "jobs", "submission.sh"),
                  encoding="utf-8") as text:
            return text.read().splitlines()

    def job(self, **more):
        return self.run_one(SUBMITIT, "-m", "submitit", "jobs", SIGNAL="USR2",
                            **more)

    def test_leaves_with_85_and_goes_on(self):
        script = self.submit(LEASED="1")
        self.assertIn("#SBATCH --signal=USR2@90", script)
        for stop in "5", "12":
            self.assertEqual(self.job(STOP=stop)[0], 85)
            self.assertNotIn("10_result.pkl", os.listdir(
                os.path.join(self.folder, "jobs")))
        code, _, said = self.job()
        self.assertEqual(code, 0, said)
        self.assertIn("10_result.pkl", os.listdir(
            os.path.join(self.folder, "jobs")))
        self.assertEqual(self.calls("scontrol"), [])

    def test_submitit_alone_would_call_scontrol(self):
        self.submit()
        self.assertEqual(self.job(STOP="5")[0], 255)
        self.assertEqual(self.calls("scontrol"), ["scontrol requeue 10"])


# A loop of its own: at step 4 the disk is "full", at step 6 the lease ends.
TORCH = """
import os, random, signal, sys
import numpy, torch
import sfair, sfair_torch

sfair._client = sfair.Client(send=lambda *_: {"lease": {}, "report_sec": 1})
torch.manual_seed(1), random.seed(1), numpy.random.seed(1)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters())
run = sfair_torch.Checkpointer("out", keep_sec=0, save_sec=0, model=net,
                               optimizer=optimizer)
first = run.load()
if not first:
    save, calls = run._store.save, []
    def full():
        calls.append(1)
        if len(calls) == 4:
            raise OSError("the disk is full")
        save()
    run._store.save = full
for step in range(first, 10):
    loss = net(torch.rand(4, 3) * random.random() * numpy.random.rand()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step == 5 and "STOP" in os.environ:
        signal.raise_signal(signal.SIGUSR1)
    run.step(step + 1, 10, loss)
run.close()
print(first, [p.tolist() for p in net.parameters()])
"""

BATCHES = """
import sfair_torch, sys

def of(rank, world, first=0):
    batches = sfair_torch.StepBatches(10, 4, 5, first=first, seed=3)
    batches.rank, batches.world = rank, world
    assert len(batches) == 5 - first
    return list(batches)

whole = of(0, 1)
assert [len(batch) for batch in whole] == [4] * 5
for epoch in whole[:2], whole[2:4]:
    assert len(set(sum(epoch, []))) == 8, epoch
assert whole[:2] != whole[2:4]
assert of(0, 1, 3) == whole[3:]
for parts in zip(whole, of(0, 2), of(1, 2)):
    assert sorted(parts[0]) == sorted(parts[1] + parts[2])
"""

# Writes down which samples each rank has in which step.
WATCH = """
import os
if "RANK" in os.environ:
    import sfair_torch
    batches = sfair_torch.StepBatches.__iter__
    def watch(self):
        name = "samples.%s.%s" % (os.environ["SLURM_RESTART_COUNT"], self.rank)
        path = os.path.join(os.environ["STATE_DIR"], name)
        with open(path, "w", encoding="utf-8") as out:
            for step, batch in enumerate(batches(self), self.first):
                print(step, *batch, file=out, flush=True)
                yield batch
    sfair_torch.StepBatches.__iter__ = watch
"""


def torch_python():
    """Debian's PyTorch is for Debian's Python."""
    for python in sys.executable, "/usr/bin/python3":
        look = "import importlib.util as u; print(bool(u.find_spec('torch')))"
        if subprocess.run([python, "-c", look], check=False, text=True,
                          stdout=subprocess.PIPE).stdout == "True\n":
            return python
    return None


TORCH_PYTHON = torch_python()


@unittest.skipUnless(TORCH_PYTHON, "python3-torch is not there")
class Torch(Framework):
    python = TORCH_PYTHON

    def test_goes_on_to_the_bit(self):
        code, whole, said = self.run_one(TORCH)
        self.assertEqual(code, 0, said)
        self.assertIn("no checkpoint was written: the disk is full", said)
        shutil.rmtree(self.out())
        code, out, said = self.run_one(TORCH, STOP="1")
        self.assertEqual((code, out), (85, ""), said)
        code, out, said = self.run_one(TORCH, SLURM_RESTART_COUNT="1")
        self.assertEqual((code, out), (0, "6" + whole[1:]), said)

    def test_batches_depend_on_the_step_alone(self):
        self.assertEqual(self.run_one(BATCHES), (0, "", ""))


def free_port():
    """A port below those of others' connections. torchrun binds it only after it
    has loaded PyTorch; with c10d a worker binds one that torchrun has released."""
    for port in random.sample(range(20000, 32000), 100):
        with socket.socket() as sock:
            try:
                sock.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
    raise RuntimeError("none of 100 ports is free")


class Torchrun(unittest.TestCase):
    maxDiff = None

    def test_ends_with_85_only_if_its_workers_did(self):
        usr1, term = -10, -15
        for codes, code in (([85], 85), ([85, 85], 85), ([85, term], 85),
                            ([85, usr1], 85), ([term], 1), ([usr1], 1),
                            ([85, 1], 1), ([85, -9], 1), ([1], 1), ([], 1)):
            self.assertEqual(sfair_torchrun.exit_code(codes, 10), code, codes)

    @unittest.skipUnless(TORCH_PYTHON, "python3-torch is not there")
    def test_an_elastic_job_trains_on_each_sample_once(self):
        """train-torch.py under torchrun with 4, 2 and 4 workers: each step has
        the samples that one worker would have, shared out evenly."""
        with tempfile.TemporaryDirectory() as self.folder:
            with open(self.path("sitecustomize.py"), "w",
                      encoding="utf-8") as out:
                out.write(WATCH)
            self.assertEqual(self.run_on(4, 0, stop=3), (
                85, "after step 0", ""))
            after = self.steps()
            self.assertEqual(self.run_on(2, 4, stop=after + 2), (
                85, f"after step {after}", "on 2 GPUs now, 4 before"))
            after = self.steps()
            self.assertEqual(self.run_on(4, 2), (
                0, f"after step {after}", "on 4 GPUs now, 2 before"))
            self.check_samples()

    def path(self, name):
        return os.path.join(self.folder, name)

    def steps(self):
        try:
            with open(self.path("train-torch-7.journal"),
                      encoding="utf-8") as text:
                return len(text.readlines())
        except FileNotFoundError:
            return 0

    def run_on(self, workers, before, stop=0):
        """Exit code, and what it says of its start and its size."""
        example = os.path.join(top, "contrib", "examples", "train-torch.py")
        env = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1",
               "PYTHONPATH": self.folder + ":" + sys.path[0],
               "PYTHONDONTWRITEBYTECODE": "1", "STATE_DIR": self.folder,
               "STEPS": "20", "SECONDS_A_STEP": "0.5" if stop else "0",
               "ASTRAEA_POOL": "gpu", "SLURM_JOB_ID": "7",
               "ASTRAEA_SOCKET": "/nonexistent",
               "ASTRAEA_CHECKPOINT_SIGNAL": "USR1",
               "SLURM_RESTART_COUNT": str(self.steps()),
               "ASTRAEA_GPUS": str(workers),
               "ASTRAEA_GPUS_BEFORE": str(before)}
        words = [TORCH_PYTHON, "-m", "sfair_torchrun", "--nproc_per_node",
                 str(workers), "--master_addr=localhost",
                 f"--master_port={free_port()}", example]
        with subprocess.Popen(words, env=env, text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT) as run:
            while stop and self.steps() < stop and run.poll() is None:
                time.sleep(0.05)
            if stop:
                run.send_signal(signal.SIGUSR1)
            said = run.communicate()[0]
        start = re.search("after step [0-9]+", said)
        size = re.search("on [0-9]+ GPUs now, .* before", said)
        return (run.returncode, start[0] if start else said,
                size[0] if size else "")

    def check_samples(self):
        seen = {}
        for name in os.listdir(self.folder):
            if not name.startswith("samples."):
                continue
            with open(self.path(name), encoding="utf-8") as text:
                for line in text:
                    step, *samples = map(int, line.split())
                    seen.setdefault(step, []).append(samples)
        self.assertEqual(sorted(seen), list(range(20)))
        epochs = [[], []]
        for step, parts in seen.items():
            self.assertIn(sorted(map(len, parts)), ([8] * 4, [16] * 2), step)
            epochs[step // 16].extend(sum(parts, []))
        self.assertEqual(sorted(epochs[0]), list(range(512)))
        self.assertEqual(len(set(epochs[1])), 4 * 32)
        self.assertEqual({len(parts) for parts in seen.values()}, {2, 4})


if __name__ == "__main__":
    unittest.main()
