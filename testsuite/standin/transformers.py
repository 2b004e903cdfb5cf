# SPDX-License-Identifier: GPL-2.0-or-later
"""A stand-in for Hugging Face's transformers, which Debian does not have: not
its code, only what can be seen of its Trainer from outside, as far as
sfair_transformers touches it.

- After each step: on_step_end, then logging, evaluation and saving as control
  asks, then the end if should_training_stop. on_save follows a save.
- A checkpoint is a folder checkpoint-STEP, written file by file: one whose
  writing was cut short looks like any other. It holds the random generators.
- Resuming skips the batches that have been trained on.
- No signal is caught.
"""

import json
import os
import pickle
import random
import sys
from dataclasses import asdict, dataclass, field


@dataclass
class TrainingArguments:
    output_dir: str
    max_steps: int = -1
    per_device_train_batch_size: int = 8
    learning_rate: float = 5e-5
    logging_steps: int = 500
    save_steps: int = 500
    seed: int = 42
    use_cpu: bool = False
    save_total_limit: int = 0
    report_to: str = "all"


@dataclass
class State:
    global_step: int = 0
    max_steps: int = 0
    is_world_process_zero: bool = True
    log_history: list = field(default_factory=list)


@dataclass
class Control:
    should_training_stop: bool = False
    should_save: bool = False
    should_evaluate: bool = False
    should_log: bool = False


class TrainerCallback:
    def on_train_begin(self, args, state, control, **kwargs):
        pass

    def on_step_end(self, args, state, control, **kwargs):
        pass

    def on_log(self, args, state, control, **kwargs):
        pass

    def on_save(self, args, state, control, **kwargs):
        pass

    def on_train_end(self, args, state, control, **kwargs):
        pass


def stack(rows):
    torch = sys.modules["torch"]
    return {key: torch.stack([row[key] for row in rows]) for key in rows[0]}


class Trainer:
    def __init__(self, model=None, args=None, data_collator=stack,
                 train_dataset=None, callbacks=(), optimizers=(None, None)):
        self.model, self.args, self.data = model, args, train_dataset
        self.collate = data_collator
        self.callbacks = list(callbacks)
        self.optimizer = optimizers[0]
        self.state = State(max_steps=args.max_steps)
        self.control = Control()

    def train(self, resume_from_checkpoint=None):
        if resume_from_checkpoint:
            self._restore(resume_from_checkpoint)
        self._call("on_train_begin")
        for batch in self._batches(self.state.global_step):
            loss = self._step(batch)
            self.state.global_step += 1
            self.control.should_save = self.control.should_evaluate = False
            self._flow()
            self._call("on_step_end")
            self._act(loss)
            if self.control.should_training_stop:
                break
        self._call("on_train_end")

    def _step(self, batch):
        self.optimizer.zero_grad()
        loss = self.model(**batch)["loss"]
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def _batches(self, first):
        size, n = self.args.per_device_train_batch_size, len(self.data)
        for step in range(first, self.args.max_steps):
            start = step * size % n
            yield self.collate(self.data[start:start + size])

    def _flow(self):
        step = self.state.global_step
        self.control.should_log = step % self.args.logging_steps == 0
        self.control.should_save = step % self.args.save_steps == 0 or \
            step == self.args.max_steps
        self.control.should_training_stop = step >= self.args.max_steps

    def _act(self, loss):
        if self.control.should_log:
            self.state.log_history.append({"loss": loss})
            self._call("on_log", logs={"loss": loss})
        if self.control.should_save:
            self._save()
            self._call("on_save")

    def _call(self, hook, **kwargs):
        for callback in self.callbacks:
            answer = getattr(callback, hook)(self.args, self.state,
                                             self.control, **kwargs)
            self.control = answer or self.control

    def _save(self):
        folder = os.path.join(self.args.output_dir,
                              f"checkpoint-{self.state.global_step}")
        os.makedirs(folder, exist_ok=True)
        torch = sys.modules.get("torch")
        for name, what in (
                ("model", self.model.state_dict()),
                ("optimizer", self.optimizer.state_dict()),
                ("rng", (random.getstate(),
                         torch and torch.get_rng_state()))):
            with open(os.path.join(folder, name), "wb") as out:
                pickle.dump(what, out)
        with open(os.path.join(folder, "trainer_state.json"), "w",
                  encoding="utf-8") as out:
            json.dump(asdict(self.state), out)

    def _restore(self, folder):
        def load(name):
            with open(os.path.join(folder, name), "rb") as data:
                return pickle.load(data)
        self.model.load_state_dict(load("model"))
        self.optimizer.load_state_dict(load("optimizer"))
        python, torch = load("rng")
        random.setstate(python)
        if torch is not None:
            sys.modules["torch"].set_rng_state(torch)
        with open(os.path.join(folder, "trainer_state.json"),
                  encoding="utf-8") as text:
            self.state = State(**json.load(text))
