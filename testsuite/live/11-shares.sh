#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tenants of weights 2:1:1 with endless work have had GPU time in these
# proportions after ten terms; a tenant that was idle for five terms gets all it
# asks for when it is back, until it has caught up (eq. 16). Measured by what
# the jobs themselves wrote down, and sfair says the same.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

term=10
conf=$(mktemp)
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
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=lead Nodes=n2 State=UP'
rm -f "$conf"

# A job writes down when each of its runs begins and ends.
cat >"$CLUSTER_DIR/out/endless" <<'EOT'
#!/bin/bash
IFS=, read -ra gpus <<<"$CUDA_VISIBLE_DEVICES"
run="$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0} $SLURM_JOB_PARTITION"
run+=" $SLURM_JOB_ACCOUNT ${#gpus[@]}"
trap 'echo "end $run $EPOCHREALTIME" >>"$OUT/journal"' EXIT
trap 'exit 0' TERM
echo "begin $run $EPOCHREALTIME" >>"$OUT/journal"
sleep 1000 &
wait
EOT
export OUT=$CLUSTER_DIR/out
endless() { submit "$@" "$OUT/endless" >/dev/null; }

# used FROM TO PARTITION ACCOUNT...: GPU seconds of each in that time.
used() {
	python3 - "$OUT/journal" "$@" <<-'EOT'
		import sys
		journal, start, stop, part, *accounts = sys.argv[1:]
		start, stop = float(start), float(stop)
		runs, total = {}, dict.fromkeys(accounts, 0)
		for line in open(journal):
		    what, run, p, account, gpus, t = line.split()
		    if p != part:
		        continue
		    if what == "begin":
		        runs[run] = [account, int(gpus), float(t), stop]
		    else:
		        runs[run][3] = float(t)
		for account, gpus, begin, end in runs.values():
		    total[account] += gpus * max(0, min(end, stop) - max(begin, start))
		print(*("%.1f" % total[a] for a in accounts))
	EOT
}

# In pool lead two tenants of equal weight; one of them comes later. They begin
# once all jobs are there.
for part in gpu lead; do scontrol update partitionname=$part state=down; done
for _ in 1 2 3 4 5 6; do endless -p lead -A b --gres=gpu:4; done
for _ in 1 2 3 4 5 6 7 8; do
	endless -A a --gres=gpu:2
	endless -A b --gres=gpu:1
	endless -A c --gres=gpu:2
	endless -A b --gres=gpu:1
done
for part in gpu lead; do scontrol update partitionname=$part state=up; done
begin=$EPOCHREALTIME
until_() { awk "BEGIN { d = $begin + $1 - $EPOCHREALTIME; exit d > 0 }"; }

until until_ $((5 * term)); do sleep 0.5; done
back=$EPOCHREALTIME
for _ in 1 2 3 4 5 6; do endless -p lead -A c --gres=gpu:4; done

until until_ $((10 * term + 2)); do sleep 0.5; done
end=$EPOCHREALTIME

# ---- Shares.

read -r a b c <<<"$(used "$begin" "$end" gpu a b c)"
echo "a $a, b $b, c $c GPU seconds of $(awk "BEGIN { print 16 * ($end - $begin) }")"
near() { # WHAT GOT WANT
	awk "BEGIN { d = $2 / $3 - 1; exit !(d > -0.05 && d < 0.05) }" ||
		fail "$1: $2 GPU seconds, fair are $3"
}
total=$(awk "BEGIN { print $a + $b + $c }")
near "share of a" "$a" "$(awk "BEGIN { print $total / 2 }")"
near "share of b" "$b" "$(awk "BEGIN { print $total / 4 }")"
near "share of c" "$c" "$(awk "BEGIN { print $total / 4 }")"
check "the cluster was idle for a fourth of the time" \
	awk "BEGIN { exit !($total > 0.75 * 16 * ($end - $begin)) }"

# sfair counts allocations, which are a little longer than runs.
sfair tenant --pool=shares -t seconds
sfair tenant --pool=shares --json | python3 -c '
import json, sys
tenants = {t["name"]: t for t in json.load(sys.stdin)["tenants"]}
own = dict(zip("abc", map(float, sys.argv[1:])))
for name in "abc":
    got = tenants[name]["alloc_gpu_sec"]
    assert 0.97 < got / own[name] < 1.15, (name, got, own[name])
    assert 0.75 < tenants[name]["rho"] < 1.05, tenants[name]
' "$a" "$b" "$c" || fail "sfair counts otherwise than the jobs"

# ---- The lead. c had nothing for five terms, b all: for five more, c goes
# first. Give it one term, in which the leases of b end.

from=$(awk "BEGIN { printf \"%.3f\", $back + $term + 3 }")
read -r b c <<<"$(used "$from" "$end" lead b c)"
echo "b $b, c $c GPU seconds from the return of c on"
check "c gets no lead: b $b, c $c GPU seconds" \
	awk "BEGIN { exit !($c > 0.9 * ($b + $c)) }"
check "c gets little: $c GPU seconds" \
	awk "BEGIN { exit !($c > 0.7 * 16 * ($end - $from)) }"
