#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A bad astraea.conf at a reconfigure keeps the old values, and the log names
# file, line, key and value; a good one takes effect, and leases go on.
. "$(dirname "$0")/../lib/live.sh"

file=$(mktemp)
cat >"$file" <<-EOT
	# A comment
	RoundInterval=1
	Pool=gpu Partitions=gpu LeaseTerm=600 RecallAfter=0 CheckpointGrace=20 Unprepared=requeue
	Tenant=red Accounts=red,crimson Weight=2
	Tenant=blue Accounts=blue
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$file"
rm -f "$file"
conf=$CLUSTER_DIR/etc/astraea.conf
log=$CLUSTER_DIR/log/slurmctld.log
cp "$conf" "$CLUSTER_DIR/etc/good"

job=$(submit -A red --gres=gpu:4 --wrap 'sleep 1000')
waits=$(submit -A blue --gres=gpu:4 --wrap 'sleep 1000')
wait_for 20 job_is "$job" RUNNING
# values: what is in force, as sfair shows it.
values() {
	sfair tenant --json | python3 -c '
import json, sys
reply = json.load(sys.stdin)
for p in reply["pools"]:
    print(p["name"], p["partitions"], p["variant"], int(p["lease_sec"]),
          int(p["grace_sec"]), int(p["round_sec"]))
for t in reply["tenants"]:
    print(t["name"], t["weight"], t["quota_gpus"])'
}
there() { [[ $(values 2>/dev/null | wc -l) -ge 3 ]]; }
wait_for 20 there
before=$(values)
leased() { [[ $(sfair lease -nP -o Phase) == leased ]]; }
wait_for 20 leased
the_lease() { sfair lease -nP -o JobID,LeaseStart,LeaseEnd 2>/dev/null; }
lease=$(the_lease)
echo "$before"

# same WHAT: the values and the lease, once slurmctld, which may have a new process,
# has had a round.
same() {
	has_values() { [[ $(values 2>/dev/null) == "$before" ]]; }
	wait_for 20 has_values "after $1"
	same_lease "$1"
}
same_lease() {
	has_lease() { [[ $(the_lease) == "$lease" ]]; }
	wait_for 20 has_lease "after $1"
}

# bad LINE TEXT <<< FILE: after a reconfigure the log has an error with the
# file, that line and TEXT, the values are the old ones, and jobs are managed.
bad() {
	local line=$1 text=$2 size
	cat >"$conf"
	size=$(wc -c <"$log")
	scontrol reconfigure
	said() { tail -c +$((size + 1)) "$log" | grep "error: astraea: "; }
	wait_for 20 said >/dev/null
	said | grep >/dev/null -F "astraea.conf: line $line: $text" ||
		fail "of line $line, $text, the log says: $(said)"
	sleep 1.5
	same "line $line, $text"
	check_eq "lines about $text" 1 "$(said | grep -cF -- "$text")"
}
good=$(cat "$conf")
bad 3 "LeaseTrem=300" <<<"${good/LeaseTerm=600/LeaseTrem=300}"
bad 3 "LeaseTerm=soon" <<<"${good/LeaseTerm=600/LeaseTerm=soon}"
bad 3 "Pool=gpu: CheckpointGrace=20 is not shorter than LeaseTerm=10" \
	<<<"${good/LeaseTerm=600/LeaseTerm=10}"
bad 2 "RoundInterval=-1" <<<"${good/RoundInterval=1/RoundInterval=-1}"
bad 4 "Weight=heavy" <<<"${good/Weight=2/Weight=heavy}"
bad 5 "Tenant=red" <<<"${good/Tenant=blue/Tenant=red}"
bad 3 "Policy=best" <<<"${good/LeaseTerm=600/Policy=best}"
bad 3 "TenantVariant=eq9" <<<"${good/LeaseTerm=600/TenantVariant=eq9}"
bad 6 "\"Nonsense\" has no value" <<<"$good
Nonsense"

# A word for an administrator who asks.
check "sfair diag does not tell of it" grep -q "Nonsense" <<<"$(sfair diag)"

# No file, a folder, an empty one: the same.
for what in rm mkdir touch; do
	rm -rf "$conf"
	[[ $what == rm ]] || $what "$conf"
	scontrol reconfigure
	sleep 2
	same "$what"
done
rm -rf "$conf"

# A good one.
sed 's/LeaseTerm=600/LeaseTerm=300/; s/CheckpointGrace=20/CheckpointGrace=30/
	s/Weight=2/Weight=3/; s/RoundInterval=1/RoundInterval=2/' \
	"$CLUSTER_DIR/etc/good" >"$conf"
scontrol reconfigure
now_good() {
	[[ $(values) == "gpu gpu eq8 300 30 2
red 3 3
blue 1 1" ]]
}
wait_for 20 now_good
same_lease "a good file"
check "diag still complains" test "$(sfair diag | grep -c Nonsense)" -eq 0
check_eq "jobs" "RUNNING PENDING" "$(job_state "$job") $(job_state "$waits")"
check_eq "restarts" 0 "$(job_field "$job" Restarts)"

# A pool without a partition is such an error.
before=$(values)
bad 3 "Partitions=gpuu: there is no partition gpuu" \
	<<<"$(sed 's/Partitions=gpu/Partitions=gpuu/' "$CLUSTER_DIR/etc/good" |
		sed 's/LeaseTerm=600/LeaseTerm=300/')"
sed 's/LeaseTerm=600/LeaseTerm=300/; s/CheckpointGrace=20/CheckpointGrace=30/
	s/Weight=2/Weight=3/; s/RoundInterval=1/RoundInterval=2/' \
	"$CLUSTER_DIR/etc/good" >"$conf"
scontrol reconfigure
wait_for 20 now_good

# A bad file at the start: the last good one stays in force, loudly. What it
# includes is in the copy.
sed '/^Tenant/d' "$conf" >"$CLUSTER_DIR/etc/pools.conf"
sed -n '/^Tenant/p' "$conf" >"$CLUSTER_DIR/etc/tenants.conf"
printf 'Include pools.conf\nInclude tenants.conf\n' >"$conf"
size=$(wc -c <"$log")
scontrol reconfigure
sleep 3
wait_for 20 now_good
check_eq "errors of the file that includes" "" \
	"$(tail -c +$((size + 1)) "$log" | grep 'error: astraea' || :)"
cp "$conf" "$CLUSTER_DIR/etc/good"
sed -i 's/Partitions=gpu/Partitions=gpuu/' "$CLUSTER_DIR/etc/pools.conf"
size=$(wc -c <"$log")
restart_slurmctld
wait_for 30 now_good
last_good='pools.conf: line 3: Partitions=gpuu: .*the last good file, copied at'
check "the log is silent of it" grep -qE "error: astraea: .*$last_good" \
	<<<"$(tail -c +$((size + 1)) "$log")"
check "diag is silent of it" grep -qE "Configuration error .*$last_good" \
	<<<"$(sfair diag)"
same_lease "the last good file"
sed -i 's/Partitions=gpuu/Partitions=gpu/' "$CLUSTER_DIR/etc/pools.conf"

# No file at the start: nothing is leased, and nothing is lost.
rm "$conf"
restart_slurmctld
cpu=$(submit -p cpu --wrap true)
wait_for 30 job_is "$cpu" COMPLETED
check_eq "the running job" RUNNING "$(job_state "$job")"
cp "$CLUSTER_DIR/etc/good" "$conf"
scontrol reconfigure
wait_for 30 now_good
same_lease "no file at the start"
