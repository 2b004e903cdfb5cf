#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# LeaseTerm=auto: it begins with the policy's term. Once the history has enough
# jobs, slurmctld chooses the term that suits them, says so in its log and in
# sfair diag, and gives it to new leases; a lease that runs keeps its end. The
# term outlives a reconfigure and a restart. Bounds that contradict each other
# are refused.
. "$(dirname "$0")/../lib/live.sh"

good() {
	cat <<-EOT
		RoundInterval=1
		Pool=gpu Partitions=gpu LeaseTerm=auto CheckpointGrace=20
	EOT
}
file=$(mktemp)
good >"$file"
start_cluster --nodes 1 --gpus 4 --astraea "$file"
rm -f "$file"
conf=$CLUSTER_DIR/etc/astraea.conf
log=$CLUSTER_DIR/log/slurmctld.log
history=$CLUSTER_DIR/state/astraea-history.sqlite
cluster=$top/testsuite/lib/cluster

diag() { sfair diag -P 2>/dev/null | sed -n "s/^Pool gpu|$1|//p"; }
diag_is() { [[ $(diag "$1") == "$2" ]]; }
chose() { [[ $(diag Choice) == $1 ]]; }
lease() { sfair lease -nP -o JobID,Term,LeaseEnd 2>/dev/null | grep "^$1|"; }

job=$(submit -A red --gres=gpu:1 --wrap 'sleep 3000')
wait_for 20 job_is "$job" RUNNING
wait_for 20 diag_is 'Automatic term' yes
check_eq "the term to begin with" 15:00 "$(diag 'Lease term')"
wait_for 20 chose 'LeaseTerm=auto keeps 15:00: fewer than 100 jobs have ended*'
check_eq "when a term was chosen" '' "$(diag 'Term chosen' | grep '[0-9]')"
leased() { [[ $(lease "$job") == "$job|15:00|2"* ]]; }
wait_for 20 leased
before=$(lease "$job")
known() {
	python3 - "$history" "$job" <<-'EOT'
		import sqlite3, sys
		db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
		sys.exit(not db.execute("SELECT 1 FROM job WHERE job = ?",
		                        sys.argv[2:]).fetchone())
	EOT
}
wait_for 20 known 2>/dev/null

# Three days of jobs that come twelve at once for four GPUs. Each interruption took
# 110 s: a short term loses much of the GPUs' time.
"$cluster" stop "$CLUSTER_DIR" slurmctld
python3 - "$history" "$job" <<'EOT'
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1])
owner = db.execute("SELECT owner FROM job WHERE job = ?", sys.argv[2:]).fetchone()
begin = time.time() - 3 * 86400
for i in range(300):
    at = begin + i // 12 * 10000 + i % 12
    db.execute("INSERT INTO job(job,id_text,submit_sec,owner,name,gpus,weight,"
               "start_sec,end_sec,run_sec,alloc_gpu_sec,fair_gpu_sec,leases,"
               "revoked,lost_sec,state)"
               " VALUES(?,?,?,?,'past',1,1,?,?,2400,2400,2400,3,2,220,'COMPLETED')",
               (100000 + i, str(100000 + i), at, owner[0], at, at + 2400))
db.commit()
EOT
"$cluster" start "$CLUSTER_DIR" slurmctld
chosen() { ctld_log 'pool gpu: LeaseTerm=auto takes .* instead of 15:00: simulations of'; }
wait_for 60 chosen
grep -o 'astraea: pool gpu: LeaseTerm=auto takes.*' "$log"
wait_for 20 chose 'LeaseTerm=auto takes * instead of 15:00: *points behind*'
term=$(diag 'Lease term')
term_sec=$(sfair tenant --json | python3 -c '
import json, sys
print(int(json.load(sys.stdin)["pools"][0]["lease_sec"]))')
check "the term of $term_sec s is longer" test "$term_sec" -gt 900
check "and not longer than LeaseMax" test "$term_sec" -le 7200
jobs=$(diag 'Jobs simulated')
check "of $jobs jobs" test "$jobs" -ge 300
check "when it was chosen" grep "^$(date +%Y)" <<<"$(diag 'Term chosen')"
check "how good it is" grep -x '[0-9.]*' <<<"$(diag 'Points behind best')"

# The lease that runs ends when it did; a new one has the new term.
same_end() { [[ $(lease "$job") == *"${before##*|}" ]]; }
wait_for 20 same_end
new=$(submit -A blue --gres=gpu:1 --wrap 'sleep 3000')
wait_for 20 job_is "$new" RUNNING
new_term() { [[ $(lease "$new") == "$new|$term|"* ]]; }
wait_for 20 new_term

# It stays, and is not chosen again within a day.
scontrol reconfigure
sleep 2
wait_for 20 diag_is 'Lease term' "$term"
restart_slurmctld KILL
wait_for 30 diag_is 'Lease term' "$term"
wait_for 20 chose 'LeaseTerm=auto takes * instead of 15:00: *'
sleep 3
check_eq "choices" 1 "$(grep -c 'LeaseTerm=auto takes' "$log")"

# refused TEXT <<<FILE: at a reconfigure, and the term stays.
refused() {
	cat >"$conf"
	scontrol reconfigure
	wait_for 20 ctld_log "error: astraea: .*$1"
	wait_for 20 diag_is 'Lease term' "$term"
}
refused 'LeaseMax=600 is shorter than LeaseMin=1200' \
	< <(good | sed 's/auto/auto LeaseMin=20:00 LeaseMax=10:00/')
refused 'LeaseMin=300 is shorter than MinRunTime=600' \
	< <(good | sed 's/auto/auto LeaseMin=5:00 MinRunTime=10:00/')
refused 'History=no: LeaseTerm=auto learns from the history' \
	< <(echo History=no && good)

# Bounds hold at once; so does a term that is given.
good | sed 's/auto/auto LeaseMax=12:00/' >"$conf"
scontrol reconfigure
wait_for 20 diag_is 'Lease term' 12:00
good | sed 's/auto/600/' >"$conf"
scontrol reconfigure
wait_for 20 diag_is 'Lease term' 10:00
check_eq "a term that is given" no "$(diag 'Automatic term')"
good >"$conf"
scontrol reconfigure
wait_for 20 diag_is 'Lease term' "$term"

# A damaged file is kept aside and told, and a term is chosen anew.
"$cluster" stop "$CLUSTER_DIR" slurmctld
rm -f "$CLUSTER_DIR"/state/astraea-terms.old
echo damaged >"$CLUSTER_DIR/state/astraea-terms"
"$cluster" start "$CLUSTER_DIR" slurmctld
wait_for 20 ctld_log 'error: astraea: LeaseTerm=auto begins anew: .*astraea-terms'
check "the file is kept" test -e "$CLUSTER_DIR/state/astraea-terms.kept"
again() { [[ $(grep -c 'LeaseTerm=auto takes' "$log") == 2 ]]; }
wait_for 60 again
wait_for 20 diag_is 'Lease term' "$term"
ok "the lease term follows the last days' jobs"
