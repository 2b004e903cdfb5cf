# SPDX-License-Identifier: GPL-2.0-or-later
"""How many GPUs jobs have, and nodes, tasks and CPUs: for themselves, squeue,
scontrol, sfair, sacct."""
import re
from typing import NamedTuple

INDEX = re.compile(r" Nodes=(\S+) [^=]*=\S* Mem=\S* GRES=(\S*)")
TRES = re.compile(r" (?:Alloc)?TRES=(\S*)")


def gpus_of(tres):
    found = re.search(r"gres[/:]gpu[=:](\d+)", tres)
    return int(found[1]) if found else None


def tres_of(tres):
    """{"GPUs": 4, "nodes": 1, "CPUs": 6} of what there is."""
    found = {what: re.search(r"\b%s=(\d+)" % key, tres)
             for what, key in (("nodes", "node"), ("CPUs", "cpu"))}
    found = {what: int(n[1]) for what, n in found.items() if n}
    gpus = gpus_of(tres)
    return found if gpus is None else {"GPUs": gpus, **found}


class Range(NamedTuple):
    """What an elastic job can be: --gpu-range=LEAST-MOST; -N LEAST-MOST with
    node, as --gres=gpu:2; or --workers=LEAST-MOST --ps=SERVERS."""
    least: int
    most: int
    node: str = ""
    servers: int = 0
    more: str = ""      # one further option

    def options(self):
        both = "%d-%d" % (self.least, self.most)
        own = (["-N" + both, self.node] if self.node else
               ["--workers=" + both, "--ps=%d" % self.servers]
               if self.servers else ["--gpu-range=" + both])
        return own + ([self.more] if self.more else [])

    def each(self):
        """GPUs of a node, or of a worker."""
        return int(re.search(r"\d+$", self.node)[0]) if self.node else 1

    def gpus(self):
        return self.least * self.each(), self.most * self.each()

    def parts(self, size):
        """(workers, servers, tasks) of a run with so many GPUs, None where
        there are none or any number will do."""
        if not self.servers:
            return None, None, None
        servers = -(-self.servers * size // self.most)
        return size, servers, size + servers

    def tres(self, run):
        """What Slurm should say of it."""
        wanted = {"GPUs": run.size, "nodes": run.nodes}
        if self.servers:
            each = int(self.more[2:]) if self.more.startswith("-c") else 1
            wanted["CPUs"] = self.parts(run.size)[2] * each
        return wanted

    def unfit(self, run):
        """What is wrong with what a run is told, or None."""
        least, most = self.gpus()
        if not least <= (run.size or 0) <= most:
            return "of %d to %d GPUs runs on %s" % (least, most, run.size)
        if self.node and run.size != run.nodes * self.each():
            return "of %d GPUs a node has %d on %d" % (
                self.each(), run.size, run.nodes)
        wanted = self.parts(run.size)
        if self.servers and run.parts != wanted or \
                not self.servers and run.parts[:2] != (None, None):
            return "on %d GPUs is told of workers, servers and tasks " \
                "%s, not %s" % (run.size, run.parts, wanted)
        return None


def members(text, pattern=r"([a-z]+)\[([^]]*)\]"):
    """The names of n[1-2,4], or the numbers of 0-1,3."""
    found = re.fullmatch(pattern, text)
    prefix, text = (found[1], found[2]) if found else ("", text)
    if not prefix and not text[:1].isdigit():
        return [text]
    numbers = []
    for part in text.split(","):
        low, _, high = part.partition("-")
        numbers += range(int(low), int(high or low) + 1)
    return [prefix + str(n) if prefix else n for n in numbers]


class Sizes:
    def __init__(self, cluster, work, journal):
        self.cluster, self.work, self.journal = cluster, work, journal
        self.told = set()   # runs that are out of their range

    def names(self):
        """{job id: its runs, of one that is elastic}"""
        found = {}
        for name in list(self.work.range):
            for run in list(self.journal.runs.get(name, [])):
                found.setdefault(run.jobid, []).append(run)
        return found

    def out_of_range(self):
        found = []
        for name, sizes in list(self.work.range.items()):
            for run in list(self.journal.runs.get(name, [])):
                if run in self.told or \
                        run.size is None and run.last - run.first < 1:
                    continue
                wrong = sizes.unfit(run)
                if wrong:
                    self.told.add(run)
                    found.append("%s %s" % (run, wrong))
        return found

    def squeue(self):
        """{job id: (start, TRES)}; without accounting there are none."""
        found = {}
        for line in self.cluster.lines("squeue", "-h", "-t", "R", "-p", "gpu",
                                       "-O", "JobID:.20,StartTime:.30,"
                                       "tres-alloc:.200") or []:
            job, start, *tres = line.split()
            found[int(job)] = (int(start), tres_of("".join(tres)))
        return found

    def scontrol(self):
        """{job id: (TRES, tasks, [(node, index)])} of running jobs."""
        found = {}
        for line in self.cluster.lines("scontrol", "-d", "-o", "show",
                                       "job") or []:
            if " JobState=RUNNING " not in line:
                continue
            job = int(re.match(r"JobId=(\d+)", line)[1])
            tres, places = TRES.search(line), []
            tasks = re.search(r" NumTasks=(\d+)", line)
            for nodes, gres in INDEX.findall(line):
                index = re.search(r"IDX:([0-9,-]+)", gres)
                places += [(node, i) for node in members(nodes)
                           for i in (members(index[1]) if index else [])]
            found[job] = (tres_of(tres[1]) if tres else {},
                          int(tasks[1]) if tasks else None, places)
        return found

    def taken_twice(self, stay, scontrol):
        wrong, taken = [], {}
        for job in stay:
            for place in scontrol.get(job, ({}, None, []))[2]:
                if place in taken:
                    wrong.append("GPU %s of %s is job %d's and job %d's" % (
                        place[1], place[0], taken[place], job))
                taken[place] = job
        return wrong

    def disagreements(self, stay):
        """stay: {job id: start} of those that run and go on."""
        squeue, scontrol = self.squeue(), self.scontrol()
        wrong, runs = self.taken_twice(stay, scontrol), self.names()
        leases = {x["id"]: x["gpus"] for x in
                  (self.cluster.ask("lease") or {}).get("leases", [])}
        for job, start in stay.items():
            run = runs.get(job, [None])[-1]
            if not run or run.size is None or run.wall < start - 1 or \
                    squeue.get(job, (None,))[0] != start:
                continue
            tres, tasks, places = scontrol.get(job, ({}, None, []))
            sizes = self.work.range[run.job]
            wanted = {**sizes.tres(run), "tasks": sizes.parts(run.size)[2]}
            told = {"squeue": squeue[job][1], "scontrol": {
                **tres, "tasks": tasks}, "the nodes": {"GPUs": len(places)},
                "sfair": {"GPUs": leases.get(job)}}
            wrong += self.differ(run, wanted, told)
        return wrong

    @staticmethod
    def differ(run, wanted, told):
        """wanted: {what: number}; told: {who: {what: number}}."""
        return ["%s has %s %s, for %s %d" % (run, wanted[what], what, who, n)
                for who, numbers in told.items()
                for what, n in numbers.items()
                if n is not None and wanted.get(what) not in (None, n)]

    def unclear(self, run):
        """Whether it began where the clock was set, and sacct's times may be
        those of another run."""
        return any(a <= run.wall <= b for a, b in self.cluster.unclear)

    def booked(self, records):
        """Runs that sacct has at another size; records as of Checks."""
        found, runs = [], self.names()
        for job, _, _, start, end, tres in records:
            for run in runs.get(job, []):
                if run.size and not self.unclear(run) and \
                        start + 1 < run.wall < (end or 1 << 40) - 1:
                    found += self.differ(run, self.work.range[
                        run.job].tres(run), {"sacct": tres_of(tres)})
        return found
