# SPDX-License-Identifier: GPL-2.0-or-later
"""A stand-in for submitit, which Debian does not have: not its code, only what
can be seen of it from outside, as far as sfair_submitit touches it.

- submit() pickles the call, also one of the program's own functions (submitit
  by value; here their file is read again), and sbatches a script that asks for
  --signal=USR2@DELAY and ends with `srun python -m submitit`.
- There the signal is caught before the function is called: the handler calls
  its checkpoint(), if any, `scontrol requeue`, and exits with 255. TERM and
  CONT are logged and ignored.
- What the function returns or raises, if an Exception, is pickled as the
  result; SystemExit is not.
"""

import os
import pickle
import re
import runpy
import shlex
import signal
import subprocess
import sys
import time
import traceback

USR_SIG = os.environ.get("SUBMITIT_PREEMPT_SIGNAL", "USR2")


class Job:
    def __init__(self, folder, job_id):
        self.folder, self.job_id = folder, job_id

    def done(self):
        return os.path.exists(self._path("result"))

    def result(self):
        while not self.done():
            time.sleep(0.1)
        with open(self._path("result"), "rb") as data:
            good, value = pickle.load(data)
        if not good:
            raise RuntimeError(value)
        return value

    def _path(self, what):
        return os.path.join(self.folder, f"{self.job_id}_{what}.pkl")


class SlurmExecutor:
    def __init__(self, folder):
        self.folder, self.parameters = os.path.abspath(folder), {}
        os.makedirs(self.folder, exist_ok=True)

    def update_parameters(self, **parameters):
        self.parameters.update(parameters)

    def submit(self, function, *args, **kwargs):
        script = os.path.join(self.folder, "submission.sh")
        with open(script, "w", encoding="utf-8") as out:
            out.write(self._script())
        said = subprocess.run(["sbatch", script], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        job = Job(self.folder, re.search("job ([0-9]+)", said)[1])
        with open(job._path("submitted") + ".new", "wb") as out:
            pickle.dump(os.path.abspath(sys.argv[0]), out)
            pickle.dump((function, args, kwargs), out)
        os.rename(job._path("submitted") + ".new", job._path("submitted"))
        return job

    def _script(self):
        options = dict(self.parameters)
        setup = options.pop("slurm_setup", [])
        options.update(options.pop("slurm_additional_parameters", {}))
        delay = options.pop("slurm_signal_delay_s", 90)
        log = os.path.join(self.folder, "%j_log.out")
        options.update({"signal": f"{USR_SIG}@{delay}", "open-mode": "append",
                        "output": log})
        lines = ["#!/bin/bash"]
        for name, value in options.items():
            name = name.removeprefix("slurm_").replace("_", "-")
            lines.append(f"#SBATCH --{name}" +
                         ("" if value is True else f"={value}"))
        command = " ".join(map(shlex.quote, [
            sys.executable, "-u", "-m", "submitit", self.folder]))
        return "\n".join([*lines, *setup, f"srun --unbuffered {command}", ""])


AutoExecutor = SlurmExecutor


def handle(number, _frame, function):
    print("submitit: caught", signal.Signals(number).name, flush=True)
    if hasattr(function, "checkpoint"):
        function.checkpoint()
    subprocess.check_call(["scontrol", "requeue", os.environ["SLURM_JOB_ID"]])
    sys.exit(-1)


def main(folder):
    del sys.argv[1:]
    job = Job(folder, os.environ["SLURM_JOB_ID"])
    with open(job._path("submitted"), "rb") as data:
        program = runpy.run_path(pickle.load(data), run_name="submitted")
        vars(sys.modules["__main__"]).update(program)
        function, args, kwargs = pickle.load(data)
    signal.signal(getattr(signal, "SIG" + USR_SIG),
                  lambda number, frame: handle(number, frame, function))
    for number in (signal.SIGTERM, signal.SIGCONT):
        signal.signal(number, lambda *_: print("submitit: bypassed"))
    try:
        result = True, function(*args, **kwargs)
    except Exception:
        result = False, traceback.format_exc()
    with open(job._path("result") + ".new", "wb") as out:
        pickle.dump(result, out)
    os.rename(job._path("result") + ".new", job._path("result"))
    if not result[0]:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
