# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests that change a pool's policy with jobs in mid-lease: source it after
# live.sh.
#
#   policy_cluster		start a node of 8 GPUs under ltgf, with tenants red and
#				blue, whose jobs $red, $blue and $elastic run all the
#				time on 5 GPUs
#   rule POLICY WHAT		wait until the pool has that policy. Fail if one of
#				these jobs was lost, restarted or resized, if the end
#				of its lease changed, or if red's GPU time is wrong
#   more			submit a short job, of one second, for a free GPU
#   serves			submit one more, and wait until all short jobs are over
#   done_all			whether all short jobs are over
#   ledger			print each tenant's payments and income, in
#				micro-credits
#   paid			whether blue has paid something
#   policy_end			fail unless sacct has every job once, and the log has
#				neither errors nor impossible awards

short=()

policy_cluster() {
	local conf name id
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

	# The elastic job has all that it can use. Of the three free GPUs one belongs to
	# blue's share, two to red's.
	red=$(submit -A red --gres=gpu:2 --wrap 'exec sleep 3000')
	blue=$(submit -A blue --gres=gpu:1 --wrap 'exec sleep 3000')
	elastic=$(submit -A blue --gpu-range=1-2 --wrap 'exec sleep 3000')
	for id in "$red" "$blue" "$elastic"; do
		wait_for 20 job_is "$id" RUNNING
	done
	wait_for 30 rules ltgf
	before=$(look)
	before=${before#* }
	before=${before% *}
	echo "$before"
}

# look: print the policy; phase, GPUs, start and lease end of each of these jobs; and
# red's GPU seconds less those that its job has had since its start.
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

more() { # a job for a free GPU
	short+=("$(submit -A blue --gres=gpu:1 --time=1 --wrap 'exec sleep 1')")
}
done_all() {
	local id
	for id in "${short[@]}"; do
		job_is "$id" COMPLETED || return 1
	done
}
serves() {
	more
	wait_for 90 done_all
}

ledger() {
	sfair tenant Ledger "${window[@]}" --json | python3 -c '
import json, sys
for row in json.load(sys.stdin)["rows"]:
    print(row["tenant"], *("%.2f" % (1e6 * row[k]) for k in ("paid", "income")))'
}
paid() { [[ $(ledger) == *"blue "[1-9]* ]]; }

recorded() {
	local id
	for id in "${short[@]}"; do
		# After a kill slurmctld may use a job id again.
		[[ $(sacct -nXPD -j "$id" -o State | sort -u) == COMPLETED ]] ||
			return 1
	done
	[[ $(sacct -nXPD -j "$red,$blue,$elastic" -o State | xargs) == \
		"RUNNING RUNNING RUNNING" ]]
}
policy_end() {
	wait_for 40 recorded
	check_eq "errors" "" "$(errors_of_ours)"
	! ctld_log "policy [a-z+]*: award" || fail "awarded what could not be"
}
