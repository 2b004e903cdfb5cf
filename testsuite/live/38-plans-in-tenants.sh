#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=ltgf+oasis, then ltgf+ogasched, on real daemons: tenants of weights 2:1
# hold GPUs in this proportion however many jobs each has and whatever these are
# worth; who waits is told of its tenant's plan, and sfair why has both: where its
# tenant stands, and the plan. A kill changes neither. ltgf+ltgf is refused.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=ltgf+oasis
	RoundInterval=1
	SlotLength=10
	PlanHorizon=600
	CheckpointGrace=2
	Tenant=a Accounts=a Weight=2
	Tenant=b Accounts=b
EOT
start_cluster --nodes 2 --gpus 3 --astraea "$conf"
rm -f "$conf"

running() { squeue -h -t R -r -o %a | sort | uniq -c | xargs; }
split() { [[ $(running) == "$1 a $2 b" ]]; }
had() { # TENANT: in GPU seconds
	sfair tenant --json 2>/dev/null | python3 2>/dev/null -c '
import json, sys
print(*(round(t["alloc_gpu_sec"]) for t in json.load(sys.stdin)["tenants"]
        if t["name"] == sys.argv[1]))' "$1"
}
# since: what both had from then on, in three slots at least, into a and b.
since() {
	a=$(had a) b=$(had b)
	[[ $a && $b ]] || return 1
	a=$((a - ${1% *})) b=$((b - ${1#* }))
	((a + b >= 3 * 10 * 6))
}
kept() { # POLICY
	local begun a b
	wait_for 20 eval '[[ $(had a) && $(had b) ]]'
	begun="$(had a) $(had b)"
	wait_for 120 since "$begun"
	((10 * a >= 16 * b && 10 * a <= 25 * b)) ||
		fail "$1: $a and $b GPU seconds are not 2:1"
	echo "$1: $a and $b GPU seconds"
}

endless() { submit --gres=gpu:1 --time=1:00:00 "$@" --wrap 'sleep 600'; }
# All begin at once: a tenant that had more at first would have less afterwards.
scontrol update partitionname=gpu state=down
for _ in 1 2 3 4 5 6 7 8; do
	endless -A a >/dev/null
	last=$(endless -A b --utility=sigmoid:1000,0,0)
done
scontrol update partitionname=gpu state=up
wait_for 60 split 4 2 || fail "not 2:1"
kept ltgf+oasis
told() {
	why=$(sfair why -v "$last" 2>/dev/null | tr '\n' ' ')
	[[ $why =~ "offered a schedule again"|planned ]]
}
wait_for 20 told
echo "$why"
grep -q "its tenant's rho is .* of a share of 2" <<<"$why" ||
	fail "why does not say where the tenant stands"

size=$(wc -l <"$CLUSTER_DIR/log/slurmctld.log")
set_conf Policy ltgf+ltgf
refused() {
	tail -n "+$size" "$CLUSTER_DIR/log/slurmctld.log" |
		grep >/dev/null 'Policy=ltgf+ltgf.*within tenants ltgf shares already'
}
wait_for 20 refused
slurm_saves "$last"
restart_slurmctld KILL
wait_for 60 split 4 2

set_conf Policy ltgf+ogasched
wait_for 60 split 4 2
kept ltgf+ogasched
! ctld_log "policy ltgf[+a-z]*: award" || fail "awarded what could not be"
