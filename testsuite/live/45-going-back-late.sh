#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Going back to stock Slurm at awkward moments: a job that has just got its
# checkpoint signal is requeued by stock Slurm's RequeueExit and goes on; forth
# again, accounts are where they were, and a job that stock Slurm started keeps
# its GPUs; a job that was over a limit and one that was put in order only have
# nothing of ours left after a kill -9 and contrib/unpark.sh.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/stock-and-ours.sh
. "$(dirname "$0")/../lib/stock-and-ours.sh"

conf=$(mktemp)
echo 'Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=16 CheckpointGrace=15' \
	>"$conf"
start_cluster --nodes 1 --gpus 2 --astraea "$conf" --slurm Licenses=lic:1
rm -f "$conf"
export OUT=$CLUSTER_DIR/out
stock_and_ours
echo 'RequeueExit=85' >>"$CLUSTER_DIR/etc/stock"
# Slurmctld writes its jobs down some seconds after a submission.
save() {
	touch "$CLUSTER_DIR/known"
	scancel "$(submit -p cpu -H --wrap true)"
	sleep 6
	wait_for 20 slurm_has_saved
}
says() { [[ $(job_reason "$1") == $2 ]]; }
logged() { grep -q "$2" "$OUT/$1" 2>/dev/null; }
runs() { job_is "$1" RUNNING; }

# It takes its time for the checkpoint: until there is a file.
cat >"$OUT/job" <<'EOT'
#!/bin/bash
until_file() { until [[ -e $OUT/$1.$SLURM_JOB_ID ]]; do sleep 0.2; done; }
trap 'echo signal; until_file saved; rm "$OUT/saved.$SLURM_JOB_ID"; exit 85' USR1
echo "begin ${SLURM_RESTART_COUNT:-0}"
until_file go
EOT
chmod 755 "$OUT/job"
job() { submit --gpus=2 --open-mode=append "$@" "$OUT/job"; }

a=$(job --signal=USR1)
wait_for 20 runs "$a"
b=$(job)
license=$(submit -p cpu -L lic --wrap 'sleep 1000')
wait_for 20 runs "$license"
limited=$(submit --gpus=1 -L lic --wrap true)
after=$(submit -p cpu -d afterany:"$a" --wrap true)
wait_for 20 says "$limited" Licenses
wait_for 60 logged "$a" signal

# ---- Stopped while it writes its checkpoint.

change stock TERM
check_eq "a job in its grace" RUNNING "$(job_state "$a")"
touch "$OUT/saved.$a"
wait_for 30 runs "$b"
restarts() { [[ $(job_field "$1" Restarts) == "$2" ]]; }
wait_for 20 restarts "$a" 1
check_eq "after its checkpoint" PENDING "$(job_state "$a")"
check_eq "what waits for its end" Dependency "$(job_reason "$after")"
check_eq "over a limit under stock Slurm" PENDING "$(job_state "$limited")"
touch "$OUT/go.$b"
wait_for 20 job_is "$b" COMPLETED
scontrol update jobid="$a" starttime=now # Slurm's two minutes after a requeue
wait_for 30 runs "$a"
wait_for 20 logged "$a" "begin 1"

# ---- Forth again.

change ours TERM
# pinned: why nothing takes its GPUs back.
pinned() { [[ $(sfair job -nP -o JobID,Pinned 2>/dev/null) == *"$a|$1"* ]]; }
wait_for 30 pinned "its run began without leases"
had() { sfair tenant --json | python3 -c '
import json, sys
t = json.load(sys.stdin)["tenants"]
sys.exit(not 2 * 16 <= sum(x["alloc_gpu_sec"] for x in t) < 1000)'; }
wait_for 20 had
wait_for 20 says "$limited" Licenses
scontrol requeue "$a"
wait_for 30 restarts "$a" 2
scontrol update jobid="$a" starttime=now || : # it may have begun by then
wait_for 60 logged "$a" "begin 2"
leased() { [[ $(sfair lease -nP -o JobID,Phase,Leases 2>/dev/null) == $1 ]]; }
wait_for 30 leased "$a|leased|[2-9]*"

# ---- Without leases, first: who is in his grace leaves in peace.

c=$(job)
begun() { (($(grep -c "$2" "$OUT/$1") == $3)); }
wait_for 40 begun "$a" ^signal 2
set_conf Leases no
touch "$OUT/saved.$a"
wait_for 30 runs "$c"
wait_for 20 restarts "$a" 3
no_lease() { [[ $(job_reason "$a") != *Lease* ]]; }
wait_for 20 no_lease
touch "$OUT/go.$c"
wait_for 30 runs "$a"
set_conf Leases yes
wait_for 30 pinned "its run began without leases"

# ---- Killed: one that was over a limit is still parked.

save
change stock KILL
check_eq "over a limit after a kill -9" Licenses "$(job_reason "$limited")"
scancel "$license"
touch "$OUT/go.$a"
wait_for 30 job_is "$a" COMPLETED
wait_for 30 job_is "$after" COMPLETED
"$top/contrib/unpark.sh"
wait_for 30 job_is "$limited" COMPLETED

# ---- Killed where jobs were put in order only.

change alone TERM
a=$(job)
wait_for 30 runs "$a"
b=$(job)
site() { sprio -h -j "$b" -o %S | xargs; }
has_site() { [[ $(site) == [1-9]* ]]; }
wait_for 30 has_site
save
change stock KILL
wait_for 30 has_site
"$top/contrib/unpark.sh" | tee "$OUT/unpark"
grep -q "0 jobs given back to Slurm, 1 priorities, 0 failed" "$OUT/unpark" ||
	fail "unpark.sh has not found job $b"
check_eq "SITE after unpark.sh" 0 "$(site)"
touch "$OUT/go.$a" "$OUT/go.$b"
wait_for 30 job_is "$b" COMPLETED
