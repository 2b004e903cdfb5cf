# SPDX-License-Identifier: GPL-2.0-or-later
"""The throw-away cluster of testsuite/lib/cluster, from Python."""
import json
import mmap
import os
import signal
import struct
import subprocess
import time

LIB = os.path.join(os.path.dirname(__file__), "..", "lib", "cluster")


class Cluster:
    def __init__(self, folder, stock):
        self.dir, self.stock = folder, stock
        self.state = folder + "/state"
        self.shim = None
        path = os.environ.get("SHIM_FILE")
        if path:
            with open(path, "r+b") as f:
                self.shim = mmap.mmap(f.fileno(), 16)
        self.unclear = []   # (from, to): sacct's times there may be another's
        self.died = []      # daemons found dead that nobody killed
        self.log = folder + "/log/slurmctld.log"

    def run(self, *command, limit=60):
        """(status, stdout); status 124 when it took too long."""
        try:
            done = subprocess.run(command, capture_output=True, text=True,
                                  timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return 124, ""
        return done.returncode, done.stdout

    def lines(self, *command):
        """Its lines, or None when it failed."""
        status, out = self.run(*command)
        return out.splitlines() if status == 0 else None

    def ask(self, report):
        """What sfair says, or None."""
        status, out = self.run("sfair", report, "--json")
        try:
            return json.loads(out) if status == 0 else None
        except ValueError:
            return None

    # Daemons.

    def pid(self, name):
        try:
            with open("%s/pids/%s" % (self.dir, name)) as f:
                pid = int(f.read())
            with open("/proc/%d/environ" % pid, "rb") as f:
                mine = ("ASTRAEA_CLUSTER_OF=" + self.dir).encode()
                return pid if mine in f.read().split(b"\0") else None
        except (OSError, ValueError):
            return None

    def send(self, name, number):
        pid = self.pid(name)
        if pid:
            os.kill(pid, number)

    def start(self, name):
        return self.run(LIB, "start", self.dir, name, limit=90)[0] == 0

    def saved(self, name, limit=60):
        """Wait until slurmctld has saved the job of that name, which was submitted
        last. A file that is written now may have been packed before, and the
        plugin's saver may be followed by slurmctld's."""
        end, since = time.monotonic() + limit, time.time()
        time.sleep(6)
        text = name.encode() + b"\0"
        text = struct.pack(">I", len(text)) + text      # as packstr() does
        while time.monotonic() < end:
            try:
                with open(self.state + "/job_state", "rb") as file:
                    if text in file.read():
                        return
                    if os.fstat(file.fileno()).st_mtime > since + 20:
                        return  # it is over and forgotten
            except OSError:     # it is being replaced
                pass
            time.sleep(0.5)

    def kill(self, name, number=signal.SIGKILL, limit=60):
        """Signal it and wait for its end."""
        self.send(name, number)
        end = time.monotonic() + limit
        while self.pid(name) and time.monotonic() < end:
            time.sleep(0.02)
        return not self.pid(name)

    def answers(self):
        return self.run("sinfo", "-h", limit=20)[0] == 0

    def heal(self, names):
        """Start what is not there; slurmctld's death is looked at first."""
        for name in names:
            if not self.pid(name):
                self.start(name)

    def wait(self, seconds, condition, *args):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition(*args):
                return True
            time.sleep(0.2)
        return bool(condition(*args))

    # What runs on a node.

    def steps(self, node=None):
        """{pid: job id} of the slurmstepds, of all nodes or of one."""
        found = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                exe = os.readlink("/proc/%s/exe" % name)
                cwd = os.readlink("/proc/%s/cwd" % name)
                with open("/proc/%s/cmdline" % name, "rb") as f:
                    words = f.read().split(b"\0")[0].decode()
            except OSError:
                continue
            if "slurmstepd" not in exe or cwd != self.dir + "/run":
                continue
            job = words.partition("[")[2].partition(".")[0]
            if node and not self.on_node(node, job):
                continue
            found[int(name)] = job
        return found

    def on_node(self, node, job):
        """Whether it has a socket there."""
        return any(f.startswith("%s_%s." % (node, job)) for f in
                   os.listdir("%s/spool/%s" % (self.dir, node)))

    # The shim of slurmctld.

    def jump(self, seconds):
        now, = struct.unpack_from("=q", self.shim, 0)
        struct.pack_into("=q", self.shim, 0, now + int(seconds * 1e9))

    def slow_disk(self, seconds):
        struct.pack_into("=q", self.shim, 8, int(seconds * 1e6))
