#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Leases=watch: jobs start and end as with Leases=no, none is signalled or requeued.
# sfair watch then tells which tenant would have waited less and whose jobs would have
# been interrupted. With Leases=yes the same load shows that it told the truth.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"
. "$(dirname "$0")/../lib/meanings.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=10
	Unprepared=requeue
	Pool=gpu Partitions=gpu CheckpointGrace=3 RecallAfter=0 Leases=no
	Tenant=a Accounts=a
	Tenant=b Accounts=b
EOT
start_cluster --needs minage=300 --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
chmod 777 "$CLUSTER_DIR/run" "$CLUSTER_DIR/out"
watch() { sfair watch -nP -Q --cold-start=1 --checkpoint=1 "$@" 2>&1; }
epoch() { date -d "$(job_field "$1" "$2")" +%s; }

over() { [[ $(job_state "$1") =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT)$ ]]; }

# load: a takes all GPUs, one of its jobs saves its work; then b comes.
load() {
	a=() b=()
	a+=("$(submit -A a --gpus=1 --requeue --signal=USR1@5 --wrap '
		trap "exit 85" USR1; for i in $(seq 60); do sleep 1; done')")
	for _ in 1 2 3; do
		a+=("$(submit -A a --uid=games --gpus=1 --wrap 'echo run; sleep 60')")
	done 2>/dev/null
	for id in "${a[@]}"; do runs "$id"; done
	nap 6 # so that b comes while a has leases
	for _ in 1 2; do
		b+=("$(submit -A b --gpus=1 --wrap 'sleep 5')")
	done 2>/dev/null
	for id in "${a[@]}" "${b[@]}"; do wait_for 150 over "$id"; done
	for id in "${a[@]}" "${b[@]}"; do
		check_eq "the end of job $id" COMPLETED "$(job_state "$id")"
	done
}
# story: who was restarted, whether b came before an end of a's.
story() {
	local id ended=$(($(date +%s) + 1000))
	for id in "${a[@]}"; do
		(($(epoch "$id" EndTime) >= ended)) || ended=$(epoch "$id" EndTime)
	done
	for id in "${a[@]}"; do echo "a restarts $(job_field "$id" Restarts)"; done
	for id in "${b[@]}"; do
		(($(epoch "$id" StartTime) < ended)) && echo "b first" || echo "a first"
	done
}
waited() { echo $(($(epoch "$1" StartTime) - $(epoch "$1" SubmitTime))); }

# ---- As with Leases=no.

complains "has Leases=no: set Leases=watch" sfair watch
complains "Leases=watch" sfair try LeaseTerm=60
load
no=$(story)
echo "$no" | xargs -d '\n'
check "without leases b waits: $no" grep -q 'a first' <<<"$no"
set_conf Leases watch
watched() { sfair diag 2>&1 | grep >/dev/null 'Watched.*yes'; }
wait_for 30 watched
old=${b[1]}
complains "nothing is recorded of pool gpu yet" sfair watch
submit -A a --gpus=1 --requeue --wrap 'sleep 2' >/dev/null
told() { watch >/dev/null; }
wait_for 60 told
sfair doctor 2>&1 | tr -s ' \n' ' ' >"$CLUSTER_DIR/doctor"
check "sfair doctor: $(<"$CLUSTER_DIR/doctor")" grep -q 'pool gpu is watched' \
	"$CLUSTER_DIR/doctor"
load
check_eq "what happens while it is watched" "$no" "$(story)"
check_eq "runs of a job that is not interrupted" 1 "$(job_log "${a[1]}" | grep -c run)"
ok nothing-is-touched

# ---- What is told.

written() { [[ $(sfair job Requests -nP -o End jobs="${b[1]}" start=now-1hour end=now) == 20* ]]; }
wait_for 60 written
sfair watch --cold-start=1 --checkpoint=1 || fail "sfair watch"
as_it_was=$(waited "${b[0]}")
# row TABLE WHO FIELDS
row() { watch "$1" -o "$3" "${@:4}" | sed -n "s/^$2|//p"; }
check_eq "who waits less" "2|0" "$(row Tenants b Tenant,Less,More)"
IFS='|' read -r wait new < <(watch Jobs --json | python3 -c '
import json, sys
for j in json.load(sys.stdin)["jobs"]:
    if j["id_text"] == sys.argv[1]:
        print("%d|%d" % (j["wait_sec"], j["new_wait_sec"]))' "${b[0]}")
echo "b waited $as_it_was s, sfair watch says $wait s, $new s with leases"
check "the wait as it was" test "$((wait - as_it_was))" -ge -2 -a \
	"$((wait - as_it_was))" -le 2
IFS='|' read -r unprepared stopped anew < <(row Users games User,Unprepared,Interrupted,Anew)
check_eq "games' jobs that declare no checkpoint" 3 "$unprepared"
check "of these would have been interrupted: $anew" test "$anew" -ge 1 -a \
	"$stopped" -eq "$anew"
check "the sentence" grep -q 'earlier in tenant b .*begun anew: user games' <<<"$(
	sfair watch --json --cold-start=1 --checkpoint=1 | python3 -c '
import json, sys
print(json.load(sys.stdin)["watch"]["summary"])')"
check_eq "with Unprepared=keep" 0 "$(row Users games User,Anew Unprepared=keep)"
check_eq "jobs of before the watch" "" "$(row Jobs "$old" JobID,User)"
complains "only root, SlurmUser and operators" as_other sfair watch
complains "since=soon: is no time" sfair watch since=soon
complains "cannot be tried" sfair watch Leases=no
complains "unknown word" sfair watch Nodes
ok what-would-have-changed

# ---- A restart and a reconfigure do not begin it anew.

since() { watch --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["watch"]["watch_sec"])'; }
before=$(since)
restart_slurmctld KILL
scontrol reconfigure
wait_for 30 watched
check_eq "since when it is watched" "$before" "$(since)"
ok over-a-restart

# ---- The truth of it.

set_conf Leases yes
unwatched() { sfair diag 2>&1 | grep >/dev/null 'Watched.*no'; }
wait_for 30 unwatched
complains "has leases already" sfair watch
load
echo "with leases b waited $(waited "${b[0]}") s, told were $new s; $(story | xargs -d '\n')"
check "b waits less with leases" grep -q 'b first' <<<"$(story)"
stopped=$(for id in "${a[@]:1}"; do job_field "$id" Restarts; done | grep -vc '^0$')
check "jobs of games that are interrupted: $stopped" test "$stopped" -ge 1
ok the-same-with-leases
