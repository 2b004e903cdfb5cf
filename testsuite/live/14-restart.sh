#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A slurmctld that is stopped, or killed, in mid-lease goes on where it was:
# leases keep their ends, no tenant's GPU time is lost or counted anew, no job
# is restarted, and a job in its grace gets the rest of it.
. "$(dirname "$0")/../lib/live.sh"

term=45
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=2 LeaseTerm=$term CheckpointGrace=12
	Tenant=red Accounts=red Weight=2
	Tenant=blue Accounts=blue Weight=1
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"

# One grace will last; the others end theirs at once.
red=$(submit -A red --gres=gpu:4 --signal=USR1 --open-mode=append --wrap '
	trap "date +USR1\ %s" USR1
	trap "date +TERM\ %s; exit 1" TERM
	date +begin\ %s; while :; do sleep 1000 & wait; done')
wait_for 20 job_is "$red" RUNNING
blue=$(submit -A blue --gres=gpu:4 --lease=0:30 --wrap 'date +begin\ %s; exec sleep 1000')

# look WHAT...: fields of the reply, of red's lease and of both tenants.
look() {
	sfair job --json >"$CLUSTER_DIR/out/job.json" 2>/dev/null || return 1
	sfair tenant --json >"$CLUSTER_DIR/out/tenant.json" || return 1
	python3 - "$CLUSTER_DIR/out" "$red" "$@" <<-'EOT'
		import json, sys
		out, red, *what = sys.argv[1:]
		jobs = json.load(open(out + "/job.json"))
		tenants = json.load(open(out + "/tenant.json"))
		job = [j for j in jobs["jobs"] if j["id"] == int(red)][0]
		for t in tenants["tenants"]:
		    job[t["name"]] = t["alloc_gpu_sec"]
		    job[t["name"] + "_fair"] = t["fair_gpu_sec"]
		job["time"] = tenants["time_sec"]
		print(*(job[name] for name in what))
	EOT
}
leased() { [[ $(look phase) == leased ]] && look blue_fair >/dev/null; }
answers() { look time >/dev/null; }
newer() { awk "BEGIN { exit !($(look time) > $1) }"; }

# Red holds all 4 GPUs all the time: at any round what it had must be 4 times
# the seconds since its start, whoever counted them. Demand and weights stay,
# too, so entitlement grows by 4 * 2/3 and 4 * 1/3 a second.
goes_on() {
	local what=$1 now
	now=$(date +%s)
	wait_for 30 newer "$now"
	read -r time had fair start end < <(look time red blue_fair start_sec \
		lease_end_sec)
	awk -v t="$time" -v had="$had" -v s="$start" 'BEGIN {
		d = had - 4 * (t - s); exit !(d > -4.1 && d < 4.1) }' ||
		fail "$what: red had $had GPU seconds in $time - $start s"
	awk -v t="$time" -v f="$fair" -v t0="$time0" -v f0="$fair0" 'BEGIN {
		d = (f - f0) - 4 / 3 * (t - t0); exit !(d > -2 && d < 2) }' ||
		fail "$what: blue is due $fair, $((time - time0)) s before $fair0"
	check_eq "$what: end of the lease" "$end0" "$end"
	check_eq "$what: restarts" "0 RUNNING" \
		"$(job_field "$red" Restarts) $(job_state "$red")"
	check_eq "$what: who waits" "0 PENDING" \
		"$(job_field "$blue" Restarts) $(job_state "$blue")"
}

wait_for 20 leased
read -r time0 fair0 end0 < <(look time blue_fair lease_end_sec)
goes_on "before"
restart_slurmctld TERM
wait_for 30 answers
goes_on "after a SIGTERM"
restart_slurmctld KILL
wait_for 30 answers
goes_on "after a SIGKILL"

# In the grace, too.
wait_for $((term + 10)) grep -q USR1 "$CLUSTER_DIR/out/$red"
check "signalled before the lease's end" test "$(date +%s)" -ge "${end0%.*}"
restart_slurmctld KILL
wait_for 40 job_is "$blue" RUNNING
check_eq "signals" "begin USR1 TERM" \
	"$(job_log "$red" | grep -oE '^(begin|USR1|TERM)\b' | xargs)"
# After a start nobody is taken back for 20 s: its end may yet be told.
awk '$1 == "USR1" { from = $2 } $1 == "TERM" { to = $2 }
	END { exit !(to - from >= 10 && to - from <= 45) }' \
	"$CLUSTER_DIR/out/$red" || fail "the grace changed: $(job_log "$red")"
check_eq "red after its grace" "1 PENDING" \
	"$(job_field "$red" Restarts) $(job_state "$red")"

# And when nobody is there at the end of a lease: it is made up for.
# Slurmctld writes its jobs down 5 s late.
sleep 6
lease_end() {
	sfair lease -j "$blue" --json | python3 -c '
import json, sys
print(*(int(job["lease_end_sec"]) for job in json.load(sys.stdin)["leases"]))'
}
end=$(lease_end)
check "blue's lease goes on" test "$end" -gt "$(date +%s)"
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld KILL
sleep $((end - $(date +%s) + 2))
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
taken_back() { [[ $(job_field "$blue" Restarts) == 1 ]]; }
wait_for 30 taken_back
wait_for 20 job_is "$red" RUNNING
check_eq "runs of blue" 1 "$(job_log "$blue" | grep -c begin)"
