# SPDX-License-Identifier: GPL-2.0-or-later
"""The kinds of faults. Each function does one, puts right what an
administrator would, and returns what it did in a few words. Its arguments are
drawn beforehand, so that a seed gives the same sequence on any machine."""
import os
import shutil
import signal
import subprocess
import time

STATE = "astraea.gpu"


def _back(cluster, pause):
    time.sleep(pause)
    cluster.start("slurmctld")


def ctld_kill(cluster, draw):
    pause = draw.choice([0, 0, 1, 3])
    time.sleep(draw.random())       # at any point of a round
    cluster.kill("slurmctld")
    _back(cluster, pause)
    return "away for %d s" % pause


def ctld_twice(cluster, draw):
    """Killed again before it has settled."""
    pause = draw.random() * 2
    cluster.kill("slurmctld")
    cluster.start("slurmctld")
    time.sleep(pause)
    cluster.kill("slurmctld")
    cluster.start("slurmctld")
    return "the second time after %.1f s" % pause


def ctld_term(cluster, draw):
    pause = draw.choice([0, 1, 4])
    cluster.kill("slurmctld", signal.SIGTERM)
    _back(cluster, pause)
    return "away for %d s" % pause


def ctld_stop(cluster, draw):
    pause = draw.choice([1, 3, 6])
    cluster.send("slurmctld", signal.SIGSTOP)
    time.sleep(pause)
    cluster.send("slurmctld", signal.SIGCONT)
    return "stood still for %d s" % pause


def arm(cluster, point, times=1):
    with open(cluster.state + "/astraea_fault.new", "w") as f:
        f.write("%s %d\n" % (point, times))
    os.rename(cluster.state + "/astraea_fault.new",
              cluster.state + "/astraea_fault")


def went_off(cluster):
    return not cluster.pid("slurmctld")


def disarm(cluster):
    try:
        os.unlink(cluster.state + "/astraea_fault")
    except FileNotFoundError:
        pass


def ctld_point(cluster, draw, point=None):
    times = 1 if point else draw.choice([1, 1, 2, 5])
    point = point or draw.choice(cluster.points)
    arm(cluster, point, times)
    # No lease ends in the first 20 s after a start.
    fired = cluster.wait(50 if point.startswith("lease.") else 15, went_off,
                         cluster)
    how = "%s at its %d. time" % (point, times)
    if not fired:
        # Those of a start, a stop or of reading the state.
        cluster.kill("slurmctld", signal.SIGTERM)
        cluster.start("slurmctld")
        fired = cluster.wait(3, went_off, cluster) or not os.path.exists(
            cluster.state + "/astraea_fault")
        how += ", at a restart" if fired else ": not reached"
    disarm(cluster)
    if fired:
        cluster.reached.add(point)
    if not cluster.pid("slurmctld"):
        cluster.start("slurmctld")
    return how


RECONFIGURE = "scontrol", "reconfigure"


def reconfigure(cluster, draw):
    """Once or twice in a row. From Slurm 23.11 on a new process takes over."""
    times, pause = draw.choice([1, 1, 2, 3]), draw.random()
    for _ in range(times):
        cluster.run(*RECONFIGURE)
        time.sleep(pause)
    return "%d times" % times


def reconfigure_kill(cluster, draw):
    """Killed while it is reconfigured, or just before or after."""
    pause = draw.choice([0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2, 4])
    away = draw.choice([0, 0, 1])
    asked = subprocess.Popen(RECONFIGURE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    time.sleep(pause)
    cluster.kill("slurmctld")
    asked.kill()
    asked.wait()
    _back(cluster, away)
    return "killed after %.2f s, away for %d s" % (pause, away)


def reconfigure_point(cluster, draw):
    """A fault point that goes off in what a reconfigure lets end, or in what
    it begins."""
    point, times = draw.choice(cluster.points), draw.choice([1, 1, 2])
    arm(cluster, point, times)
    cluster.run(*RECONFIGURE)
    fired = cluster.wait(10, went_off, cluster)
    disarm(cluster)
    if fired:
        cluster.reached.add(point)
    cluster.heal(["slurmctld"])
    return "%s at its %d. time%s" % (point, times,
                                     "" if fired else ": not reached")


def slurmd_kill(cluster, draw):
    node, pause = draw.choice(cluster.nodes), draw.choice([0, 2])
    cluster.kill(node)
    time.sleep(pause)
    cluster.start(node)
    return "%s, away for %d s" % (node, pause)


def stepd_kill(cluster, draw):
    which = draw.random()
    steps = sorted(cluster.steps().items())
    if not steps:
        return "no step ran"
    pid, job = steps[int(which * len(steps))]
    os.kill(pid, signal.SIGKILL)
    # Slurm looks for lost steps when a slurmd registers.
    cluster.run("scontrol", "reconfigure")
    return "of job %s" % job


# A launch is tried for MessageTimeout. A node that is back sooner would start
# what has been requeued since, beside those that have its GPUs by now; stock
# Slurm does so too.
LAUNCH_SEC = 11


def node_lost(cluster, draw):
    node, grace = draw.choice(cluster.nodes), draw.random() < 0.5
    if grace and not cluster.stock:
        node = _node_in_grace(cluster) or node
    steps = cluster.steps(node)
    cluster.kill(node)
    for pid in steps:
        os.kill(pid, signal.SIGKILL)
    time.sleep(draw.choice([0, 2]))
    cluster.run("scontrol", "update", "NodeName=" + node, "State=DOWN",
                "Reason=lost")
    time.sleep(LAUNCH_SEC + draw.choice([1, 4]))
    cluster.start(node)
    cluster.run("scontrol", "update", "NodeName=" + node, "State=RESUME")
    return "%s with %d steps" % (node, len(steps))


def _node_in_grace(cluster):
    """A node of a job that has been signalled, waited for a few seconds."""
    for _ in range(20):
        for lease in (cluster.ask("lease") or {}).get("leases", []):
            if lease["phase"] == "grace" and lease["nodes"].isalnum():
                return lease["nodes"]
        time.sleep(0.2)
    return None


def munged_gone(cluster, draw):
    pause = draw.choice([2, 5])
    cluster.kill("munged", signal.SIGTERM)
    time.sleep(pause)
    cluster.start("munged")
    return "for %d s" % pause


def state_full(cluster, draw):
    pause, kill = draw.choice([3, 7]), draw.random() < 0.3
    fill = cluster.state + "/fill"
    with open(fill, "wb", buffering=0) as f:
        for size in (1 << 20, 4096, 1):
            try:
                while f.write(b"\0" * size):
                    pass
            except OSError:
                pass
    time.sleep(pause)
    if kill:
        cluster.kill("slurmctld")
        cluster.start("slurmctld")
        time.sleep(2)
    os.unlink(fill)
    return "for %d s%s" % (pause, ", killed meanwhile" if kill else "")


def _remount(cluster, how):
    return subprocess.run(["mount", "-o", "remount," + how, cluster.state],
                          capture_output=True, check=False).returncode == 0


def state_readonly(cluster, draw):
    pause = draw.choice([3, 7])
    # Not while a file is being written.
    if not cluster.wait(5, _remount, cluster, "ro"):
        return "could not be done: busy"
    time.sleep(pause)
    _remount(cluster, "rw")
    return "for %d s" % pause


def _damage(path, how, draw):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    if how == "flipped" and data:
        data[int(draw * len(data))] ^= 0x55
    elif how == "truncated":
        del data[int(draw * len(data)):]
    elif how == "empty":
        del data[:]
    elif how == "newer" and len(data) > 8:
        data[4:8] = (99).to_bytes(4, "little")  # the format's number
    with open(path, "wb") as f:
        f.write(data)


def state_damaged(cluster, draw):
    how = draw.choice(["flipped", "truncated", "empty", "newer", "older",
                       "removed"])
    where, stop = draw.random(), draw.choice([signal.SIGKILL, signal.SIGTERM])
    path = "%s/%s" % (cluster.state, STATE)
    shutil.copy(path, path + ".aside")
    time.sleep(3)
    cluster.kill("slurmctld", stop)
    if how == "older":
        os.replace(path + ".aside", path)
    elif how == "removed":
        os.unlink(path)
    else:
        _damage(path, how, where)
    if os.path.exists(path + ".aside"):
        os.unlink(path + ".aside")
    cluster.start("slurmctld")
    cluster.integrals_lost = how == "older"
    return "%s after %s" % (how, stop.name)


def clock_jump(cluster, draw):
    seconds = draw.choice([-30, -5, 5, 30])
    began = time.time()
    cluster.jump(seconds)
    time.sleep(3)
    cluster.jump(-seconds)
    # A run that began or ended meanwhile is in sacct by so much too early or
    # late, where another run of the job may have been.
    cluster.unclear.append((began + min(seconds, 0) - 1,
                            time.time() + max(seconds, 0) + 1))
    cluster.integrals_lost = cluster.clock_moved = True
    return "%+d s and back" % seconds


def slow_disk(cluster, draw):
    delay, kill = draw.choice([0.3, 1.5]), draw.random() < 0.5
    cluster.slow_disk(delay)
    time.sleep(6)
    if kill:
        cluster.kill("slurmctld")
    cluster.slow_disk(0)
    if kill:
        cluster.start("slurmctld")
    return "%.1f s a sync%s" % (delay, ", then killed" if kill else "")


# name -> (function, weight, what it needs)
KINDS = {
    "ctld-kill": (ctld_kill, 20, None),
    "ctld-twice": (ctld_twice, 5, None),
    "ctld-point": (ctld_point, 25, "points"),
    "ctld-term": (ctld_term, 5, None),
    "ctld-stop": (ctld_stop, 5, None),
    "reconfigure": (reconfigure, 4, None),
    "reconfigure-kill": (reconfigure_kill, 4, None),
    "reconfigure-point": (reconfigure_point, 4, "points"),
    "slurmd-kill": (slurmd_kill, 7, None),
    "stepd-kill": (stepd_kill, 7, None),
    "node-lost": (node_lost, 7, None),
    "munged-gone": (munged_gone, 5, None),
    "state-full": (state_full, 5, "mount"),
    "state-readonly": (state_readonly, 5, "mount"),
    "state-damaged": (state_damaged, 6, "leases"),
    "clock-jump": (clock_jump, 5, "shim"),
    "slow-disk": (slow_disk, 4, "shim"),
}
