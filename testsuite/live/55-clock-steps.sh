#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The clock of slurmctld's host steps by an hour, forth and back, just after jobs have
# started and others wait: no lease ends for it, terms stay as they were, and GPU time
# is charged as it passes. So it is if slurmctld is killed before it has saved, and
# comes back when the clock is right again. One line "ok NAME" for each.
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=1200 CheckpointGrace=1 \
RecallAfter=900" >"$conf"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cc -O1 -shared -fPIC -o "$work/shim.so" "$live_lib/../faults/shim.c" -ldl
head -c 16 /dev/zero >"$work/clock"
SHIM_FILE=$work/clock SLURMCTLD_PRELOAD=$work/shim.so
export SHIM_FILE SLURMCTLD_PRELOAD
start_cluster --nodes 1 --gpus 2 --cpus 16 --astraea "$conf" --slurm SlurmdTimeout=0
trap 'status=$?; rm -rf "$work"; live_end $status' EXIT
rm -f "$conf"

clock() { # SECONDS: slurmctld's clock is so much before the real one
	python3 -c '
import struct, sys
with open(sys.argv[1], "r+b") as f:
    f.write(struct.pack("=q", int(sys.argv[2]) * 10**9))' "$work/clock" "$1"
}
rounds() { sfair diag --json | python3 -c '
import json, sys; print(json.load(sys.stdin)["diag"]["rounds"])'; }
rounds_passed() {
	local now
	now=$(rounds 2>/dev/null) && ((now >= $1))
}
some_rounds() { wait_for 60 rounds_passed $(($(rounds) + 4)); }
uptime_sec() { cut -d' ' -f1 /proc/uptime; }
# Print what is not as if the clock had not moved. $ids run since $since of the host's
# uptime. A lease may end at RecallAfter for the job that waits.
amiss() {
	sfair lease --json >"$work/lease" && sfair tenant --json >"$work/tenant" &&
		python3 - "$work" "$since" "$(uptime_sec)" "${ids[@]}" <<-'EOT'
			import json, sys
			work, since, now = sys.argv[1], *map(float, sys.argv[2:4])
			lease = json.load(open(work + "/lease"))
			rows = {r["id"]: r for r in lease["leases"]}
			passed, slack = now - since, 20
			for job in map(int, sys.argv[4:]):
			    r = rows.get(job)
			    if not r or r["phase"] != "leased":
			        print("job", job, "has the lease", r)
			        continue
			    left = r["lease_end_sec"] - lease["time_sec"]
			    if not 900 - passed - slack <= left <= 1200 + slack:
			        print("job", job, "has", left, "s left after", passed)
			used = sum(t["alloc_gpu_sec"] for t in json.load(open(work + "/tenant"))["tenants"])
			if not 2 * (passed - slack) <= used <= 2 * (passed + slack):
			    print(used, "GPU s are charged after", passed, "s")
		EOT
}
in_order() { # WHAT
	local id
	some_rounds
	amiss >"$work/amiss"
	check_eq "$1" '' "$(<"$work/amiss")"
	for id in "${ids[@]}"; do
		check_eq "$1: job $id" 'RUNNING 0' "$(job_state "$id") $(job_field "$id" Restarts)"
	done
}

on_failure() { cat "$work/lease" "$work/tenant"; }
since=$(uptime_sec)
ids=()
for _ in 1 2; do ids+=("$(submit -t UNLIMITED --gres=gpu:1 --wrap 'exec sleep 6000')"); done
waiting=$(as_other sbatch --parsable -o /dev/null --chdir=/ --gres=gpu:2 \
	--wrap 'exec sleep 6000')
for id in "${ids[@]}"; do wait_for 30 job_is "$id" RUNNING; done
since=$(uptime_sec)
clock 3600
in_order "an hour forth"
ok an-hour-forth
slurm_saves "$waiting"
# A node that does not answer is waited for after a start, but not for an hour.
"$live_lib/cluster" stop "$CLUSTER_DIR" c1
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
clock 0
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
in_order "a kill within the hour"
ok killed-within-the-hour
clock 3600
in_order "an hour forth after a kill"
clock 0
in_order "and back"
ok and-back
clock -3600
in_order "an hour back"
ok an-hour-back
clock 0
in_order "and forth"
ok and-forth-again
check_eq "state of the one that waits" PENDING "$(job_state "$waiting")"
