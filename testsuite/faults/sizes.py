# SPDX-License-Identifier: GPL-2.0-or-later
"""How many GPUs jobs have: for themselves, squeue, scontrol, sfair, sacct."""
import re

INDEX = re.compile(r" Nodes=(\S+) [^=]*=\S* Mem=\S* GRES=(\S*)")
TRES = re.compile(r" (?:Alloc)?TRES=(\S*)")


def gpus_of(tres):
    found = re.search(r"gres[/:]gpu[=:](\d+)", tres)
    return int(found[1]) if found else None


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
        for name, (least, most) in list(self.work.range.items()):
            for run in list(self.journal.runs.get(name, [])):
                if run in self.told or run.size is None and \
                        run.last - run.first < 1 or \
                        run.size and least <= run.size <= most:
                    continue
                self.told.add(run)
                found.append("%s of %d to %d GPUs runs on %s" % (
                    run, least, most, run.size))
        return found

    def squeue(self):
        """{job id: (start, GPUs)}; GPUs are None without accounting."""
        found = {}
        for line in self.cluster.lines("squeue", "-h", "-t", "R", "-p", "gpu",
                                       "-O", "JobID:.20,StartTime:.30,"
                                       "tres-alloc:.200") or []:
            job, start, *tres = line.split()
            found[int(job)] = (int(start), gpus_of("".join(tres)))
        return found

    def scontrol(self):
        """{job id: (GPUs by TRES, [(node, index)])} of running jobs."""
        found = {}
        for line in self.cluster.lines("scontrol", "-d", "-o", "show",
                                       "job") or []:
            if " JobState=RUNNING " not in line:
                continue
            job = int(re.match(r"JobId=(\d+)", line)[1])
            tres, places = TRES.search(line), []
            for nodes, gres in INDEX.findall(line):
                index = re.search(r"IDX:([0-9,-]+)", gres)
                places += [(node, i) for node in members(nodes)
                           for i in (members(index[1]) if index else [])]
            found[job] = (gpus_of(tres[1]) if tres else None, places)
        return found

    def disagreements(self, stay):
        """stay: {job id: start} of those that run and go on."""
        wrong, taken, runs = [], {}, self.names()
        squeue, scontrol = self.squeue(), self.scontrol()
        leases = {x["id"]: x["gpus"] for x in
                  (self.cluster.ask("lease") or {}).get("leases", [])}
        for job, start in stay.items():
            tres, places = scontrol.get(job, (None, []))
            for place in places:
                if place in taken:
                    wrong.append("GPU %s of %s is job %d's and job %d's" % (
                        place[1], place[0], taken[place], job))
                taken[place] = job
            run = runs.get(job, [None])[-1]
            if not run or run.wall < start - 1 or \
                    squeue.get(job, (None,))[0] != start:
                continue
            told = {"squeue": squeue[job][1], "scontrol": tres,
                    "the nodes": len(places), "sfair": leases.get(job)}
            wrong += ["%s has %s GPUs, for %s %d" % (
                run, run.size, who, gpus) for who, gpus in told.items()
                if gpus is not None and gpus != run.size]
        return wrong

    def booked(self, records):
        """Runs that sacct has at another size; records as of Checks."""
        found, runs = [], self.names()
        for job, _, gpus, start, end in records:
            for run in runs.get(job, []):
                if start + 1 < run.wall < (end or 1 << 40) - 1 and \
                        run.size != gpus:
                    found.append("%s has %s GPUs, for sacct %d" % (
                        run, run.size, gpus))
        return found
