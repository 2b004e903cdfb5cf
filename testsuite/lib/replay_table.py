#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Policies live and simulated, of the files of sfairsim replay --json:
replay_table.py FOLDER POLICY...

Ends with 1 where a tenant's GPU time, of over 200 s, is more than 5 % off, and
by more than Slurm's whole seconds can be, or two policies stand in another order. Runs differ by chance, so an order counts
where the simulator sees more than a tenth between the two."""
import json
import sys

GPU_SEC, SHARE, CLEAR = 200, 0.05, 0.1


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def slowdowns(jobs, side):
    """Of jobs of at least 2 s: less is Slurm's seconds."""
    return sorted(max(j[side + "_jct_sec"], 2) / max(j["duration_sec"], 2)
                  for j in jobs)


# name -> (f(result, side), whether more is better, whose own measure)
MEASURES = {
    "mean slowdown": (lambda r, s: mean(slowdowns(r["jobs"], s)), False,
                      "ltgf"),
    "95 % slowdown": (lambda r, s: slowdowns(r["jobs"], s)[
        int(0.95 * len(r["jobs"]))], False, ""),
    "largest slowdown": (lambda r, s: slowdowns(r["jobs"], s)[-1], False,
                         "themis"),
    "mean completion": (lambda r, s: mean(j[s + "_jct_sec"] for j in
                                          r["jobs"]), False, ""),
    "utility %": (lambda r, s: 100 * sum(j[s + "_worth"] for j in r["jobs"])
                  / sum(j["worth_alone"] for j in r["jobs"]), True,
                  "oasis, incentive"),
    "GPU s while busy": (lambda r, s: r["all"][s + "_early_gpu_sec"], True,
                         "ogasched"),
}


def slack(tenant):
    """What the rounding of Slurm's seconds may weigh, as in replay.sh."""
    return 3 * (tenant["live_runs_gpus_squared"] / 6) ** 0.5


def tenants(policy, result):
    """What is off, in words; and a line for the table."""
    rows = [t for t in result["tenants"] if t["live_gpu_sec"] > GPU_SEC]
    off = [t for t in rows if abs(t["sim_gpu_sec"] - t["live_gpu_sec"]) > max(
        SHARE * t["live_gpu_sec"], slack(t))]
    worst = max([abs(t["gpu_difference"]) for t in rows], default=0)
    print("%-12s %8.0f %9.0f %8d %+9.1f %% %11d %9d" % (
        policy, result["all"]["live_gpu_sec"], result["all"]["sim_gpu_sec"],
        len(rows), 100 * worst, result["live_checkpoints"],
        result["sim_checkpoints"]))
    return ["%s: %s had %.0f GPU s, simulated %.0f" % (
        policy, t["tenant"], t["live_gpu_sec"], t["sim_gpu_sec"])
        for t in off]


def orders(results):
    """Pairs of policies that are the other way round live."""
    found = []
    for name, (measure, more, own) in MEASURES.items():
        values = {p: (measure(r, "live"), measure(r, "sim"))
                  for p, r in results.items()}
        print("%-17s%-18s" % (name, own and "(%s)" % own) + "  ".join(
            "%s %.4g/%.4g" % (p, *v) for p, v in sorted(
                values.items(), key=lambda x: x[1][1], reverse=more)))
        for a, (live_a, sim_a) in values.items():
            for b, (live_b, sim_b) in values.items():
                if sim_a < sim_b * (1 - CLEAR) and live_a > live_b:
                    found.append("%s: %s %.4g and %s %.4g, simulated %.4g "
                                 "and %.4g" % (name, a, live_a, b, live_b,
                                               sim_a, sim_b))
    return found


def main():
    results = {}
    for policy in sys.argv[2:]:
        with open("%s/%s.json" % (sys.argv[1], policy)) as f:
            results[policy] = json.load(f)
    print("policy         GPU s simulated  tenants  worst off  checkpoints "
          "simulated")
    wrong = sum([tenants(p, r) for p, r in results.items()], [])
    print("\nlive/simulated, the best by the simulator first")
    wrong += orders(results)
    for text in wrong:
        print("OFF: " + text)
    sys.exit(1 if wrong else 0)


main()
