#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tenants of weights 2:1:1 with endless work have had GPU time in these
# proportions after ten terms; a tenant that was idle for five terms gets all it
# asks for when it is back, until it has caught up (eq. 16). Measured by what
# Slurm's own plugin for completed jobs wrote of each run, and sfair says the
# same. (What a job could write itself lacks its launch, which is long on a busy
# machine, and its end where it is killed.)
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

term=10
conf=$(mktemp) runs=$(mktemp)
on_failure() { rm -f "$runs"; }
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=$term
	CheckpointGrace=1
	Pool=shares Partitions=gpu
	Pool=lead Partitions=lead TenantVariant=eq16
	Tenant=a Accounts=a Weight=2
	Tenant=b Accounts=b
	Tenant=c Accounts=c
EOT
start_cluster --nodes 2 --gpus 16 --cpus 64 --astraea "$conf" \
	--slurm 'JobCompType=jobcomp/filetxt' --slurm "JobCompLoc=$runs" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=lead Nodes=n2 State=UP'
rm -f "$conf"

# endless GPUS ARGUMENT...: a job whose name is the number of its GPUs, as that
# plugin does not tell it without slurmdbd.
endless() {
	submit --gres="gpu:$1" -J "$1" "${@:2}" --wrap 'exec sleep 1000' >/dev/null
}

# used FROM TO PARTITION ACCOUNT...: GPU seconds of each in that time, of the runs
# that have ended and of those that go on.
used() {
	python3 - "$runs" "$(squeue -h -t running \
		-O Account:9,Partition:9,Name:9,StartTime:20)" "$@" <<-'EOT'
		import sys
		from datetime import datetime
		ended, running, start, stop, part, *accounts = sys.argv[1:]
		start, stop = float(start), float(stop)
		total = dict.fromkeys(accounts, 0)

		def add(account, partition, gpus, begin, end):
		    if partition == part:
		        begin = datetime.fromisoformat(begin).timestamp()
		        time = min(end, stop) - max(begin, start)
		        total[account] += int(gpus) * max(0, time)

		for line in open(ended):
		    run = dict(word.split("=", 1) for word in line.split())
		    end = datetime.fromisoformat(run["EndTime"]).timestamp()
		    add(run["Account"], run["Partition"], run["Name"],
		        run["StartTime"], end)
		for line in running.splitlines():
		    account, partition, gpus, begin = line.split()
		    add(account, partition, gpus, begin, stop)
		print(*("%.1f" % total[a] for a in accounts))
	EOT
}

# In pool lead two tenants of equal weight; one of them comes later. They begin
# once all jobs are there.
for part in gpu lead; do scontrol update partitionname=$part state=down; done
for _ in 1 2 3 4 5 6; do endless 4 -p lead -A b; done
for _ in 1 2 3 4 5 6 7 8; do
	endless 2 -A a
	endless 1 -A b
	endless 2 -A c
	endless 1 -A b
done
for part in gpu lead; do scontrol update partitionname=$part state=up; done
begin=$EPOCHREALTIME
until_() { awk "BEGIN { d = $begin + $1 - $EPOCHREALTIME; exit d > 0 }"; }

until until_ $((5 * term)); do sleep 0.5; done
back=$EPOCHREALTIME
for _ in 1 2 3 4 5 6; do endless 4 -p lead -A c; done

until until_ $((10 * term + 2)); do sleep 0.5; done
end=$EPOCHREALTIME

# ---- Shares.

read -r a b c <<<"$(used "$begin" "$end" gpu a b c)"
echo "a $a, b $b, c $c GPU seconds of $(awk "BEGIN { print 16 * ($end - $begin) }")"
# But for a lease of the largest job, its grace and a late end.
lease=$((2 * (term + 3)))
near() { # WHAT GOT WANT
	awk "BEGIN { d = $2 - $3; exit !(d > -$lease && d < $lease) }" ||
		fail "$1: $2 GPU seconds, fair are $3"
}
total=$(awk "BEGIN { print $a + $b + $c }")
near "share of a" "$a" "$(awk "BEGIN { print $total / 2 }")"
near "share of b" "$b" "$(awk "BEGIN { print $total / 4 }")"
near "share of c" "$c" "$(awk "BEGIN { print $total / 4 }")"
check "the cluster was idle for a fourth of the time" \
	awk "BEGIN { exit !($total > 0.75 * 16 * ($end - $begin)) }"

sfair tenant --pool=shares -t seconds
sfair tenant --pool=shares --json | python3 -c '
import json, sys
tenants = {t["name"]: t for t in json.load(sys.stdin)["tenants"]}
slurm = dict(zip("abc", map(float, sys.argv[1:])))
for name in "abc":
    got = tenants[name]["alloc_gpu_sec"]
    assert 0.95 < got / slurm[name] < 1.05, (name, got, slurm[name])
    assert 0.75 < tenants[name]["rho"] < 1.05, tenants[name]
' "$a" "$b" "$c" || fail "sfair counts otherwise than Slurm"

# ---- The lead. c had nothing for five terms, b all: for five more, c goes
# first. Give it one term, in which the leases of b end.

from=$(awk "BEGIN { printf \"%.3f\", $back + $term + 3 }")
read -r b c <<<"$(used "$from" "$end" lead b c)"
rm -f "$runs"
echo "b $b, c $c GPU seconds from the return of c on"
check "c gets no lead: b $b, c $c GPU seconds" \
	awk "BEGIN { exit !($c > 0.9 * ($b + $c)) }"
check "c gets little: $c GPU seconds" \
	awk "BEGIN { exit !($c > 0.7 * 16 * ($end - $from)) }"
