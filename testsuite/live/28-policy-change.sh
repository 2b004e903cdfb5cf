#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A pool's policy is changed with jobs in mid-lease, from one to the next of all,
# slurmctld killed in between, once with the change made while it is down: no job
# is lost, restarted or resized, leases keep their ends, tenants their GPU time,
# the ledger its sums, and sacct has every job once.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu LeaseTerm=3600 Policy=ltgf LendIdle=no
	RoundInterval=1
	SlotLength=10
	PlanHorizon=600
	BatchMax=2
	RecallAfter=0
	CheckpointGrace=3
EOT
start_cluster --accounting --nodes 1 --gpus 8 --cpus 16 --astraea "$conf"
rm -f "$conf"
for name in red blue; do
	sacctmgr -i add account name="$name" >/dev/null
	sacctmgr -i add user root account="$name" >/dev/null
done
begin=$(date +%s)
window=("start=$(date -d "@$begin" +%FT%R)"
	"end=$(date -d "@$((begin + 3600))" +%FT%R)")

# These run all the time, the elastic one on all that it can use. Of the three
# GPUs that are left one is of blue's share, two of red's.
red=$(submit -A red --gres=gpu:2 --wrap 'exec sleep 3000')
blue=$(submit -A blue --gres=gpu:1 --wrap 'exec sleep 3000')
elastic=$(submit -A blue --gpu-range=1-2 --wrap 'exec sleep 3000')
for id in "$red" "$blue" "$elastic"; do
	wait_for 20 job_is "$id" RUNNING
done

# look: the policy, then of each of these phase, GPUs, start and lease, and last
# by how much red's GPU seconds differ from those since its start.
look() {
	sfair job --json >"$CLUSTER_DIR/out/job.json" 2>/dev/null || return 1
	sfair tenant --json >"$CLUSTER_DIR/out/tenant.json" 2>/dev/null ||
		return 1
	python3 - "$CLUSTER_DIR/out" "$red" "$blue" "$elastic" <<-'EOT'
		import json, sys
		out, ids = sys.argv[1], [int(id) for id in sys.argv[2:]]
		jobs = json.load(open(out + "/job.json"))["jobs"]
		tenants = json.load(open(out + "/tenant.json"))
		jobs = {j["id"]: j for j in jobs}
		had = {t["name"]: t["alloc_gpu_sec"] for t in tenants["tenants"]}
		if not jobs[ids[0]]["start_sec"]:
		    sys.exit(1)
		since = tenants["time_sec"] - jobs[ids[0]]["start_sec"]
		print(tenants["pools"][0]["policy"],
		      *(":".join(str(jobs[n][f])
		                 for f in ("phase", "gpus", "start_sec",
		                           "lease_end_sec")) for n in ids),
		      round(had["red"] - 2 * since))
	EOT
}
rules() {
	[[ $(look) == "$1 leased:2:"*" leased:1:"*" leased:2:"* ]]
}
restarts() {
	local id
	for id in "$red" "$blue" "$elastic"; do
		job_field "$id" Restarts
	done | xargs
}
# Of each tenant what it paid and was given, in micro-credits.
ledger() {
	sfair tenant Ledger "${window[@]}" --json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(row["tenant"], *("%.2f" % (1e6 * row[k]) for k in ("paid", "income")))'
}

wait_for 30 rules ltgf
before=$(look)
before=${before#* }
before=${before% *}
echo "$before"

# rule POLICY WHAT: it does, and all that was is.
rule() {
	local now
	wait_for 40 rules "$1"
	now=$(look)
	echo "$2: $now"
	now=${now#* }
	check_eq "$2: jobs and leases" "$before" "${now% *}"
	((${now##* } >= -4 && ${now##* } <= 4)) ||
		fail "$2: red's GPU seconds are ${now##* } too many"
	check_eq "$2: running" "$elastic $blue $red" \
		"$(squeue -h -t R -j "$red,$blue,$elastic" -o %i |
			sort -nr | xargs)"
	check_eq "$2: restarts" "0 0 0" "$(restarts)"
}
short=()
more() { # a job for a GPU that is left
	short+=("$(submit -A blue --gres=gpu:1 --time=1 --wrap 'exec sleep 1')")
}
done_all() {
	local id
	for id in "${short[@]}"; do
		job_is "$id" COMPLETED || return 1
	done
}
# It serves whom the policy before it left waiting, and whoever comes.
serves() {
	more
	wait_for 90 done_all
}

serves
more
set_conf Policy themis
rule themis "ltgf to themis"
serves
slurm_saves "$red"
restart_slurmctld KILL
rule themis "a kill"
more
set_conf Policy incentive
rule incentive "themis to incentive"
more
serves
paid() { [[ $(ledger) == *"blue "[1-9]* ]]; }
wait_for 20 paid
sums=$(ledger)
echo "$sums"

# While it is down the file is edited.
more
slurm_saves "$red"
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
sed -i 's/Policy=incentive/Policy=oasis/' "$CLUSTER_DIR/etc/astraea.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
rule oasis "incentive to oasis over a kill"
serves
set_conf Policy ogasched
rule ogasched "oasis to ogasched"
serves
more
set_conf Policy ltgf
rule ltgf "ogasched to ltgf"
serves

# And those of two levels.
for policy in ltgf+themis ltgf+incentive ltgf+ogasched; do
	set_conf Policy "$policy"
	rule "$policy" "to $policy"
done
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
sed -i 's/Policy=ltgf+ogasched/Policy=ltgf+oasis/' \
	"$CLUSTER_DIR/etc/astraea.conf"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
rule ltgf+oasis "ltgf+ogasched to ltgf+oasis over a stop"
set_conf SlotLength 20
more
set_conf Policy ltgf
rule ltgf "in the end"
wait_for 90 done_all
check_eq "the ledger in the end" "$sums" "$(ledger)"

# The short ones are there with their ends, the others once, as ever.
recorded() {
	local id
	for id in "${short[@]}"; do
		[[ $(sacct -nXPD -j "$id" -o State) == COMPLETED ]] || return 1
	done
	[[ $(sacct -nXPD -j "$red,$blue,$elastic" -o State | xargs) == \
		"RUNNING RUNNING RUNNING" ]]
}
wait_for 40 recorded
check_eq "errors" "" "$(errors_of_ours)"
! ctld_log "policy [a-z+]*: award" || fail "awarded what could not be"
