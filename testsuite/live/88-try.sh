#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair try: one account holds all GPUs under long leases, and another one's jobs,
# of which slurmdbd has more of the last days, wait for it. An operator tries a
# shorter lease: they would wait less. slurmctld goes on as it was until the file
# says the same and is read again; then nothing would change any more.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=30:00 CheckpointGrace=3 RecallAfter=0
EOT
start_cluster --accounting --nodes 2 --gpus 4 --astraea "$conf"
rm -f "$conf"
export OUT=$CLUSTER_DIR/out
for a in big small; do
	sacctmgr -i add account name=$a >/dev/null
	sacctmgr -i add user root account=$a >/dev/null
done
sacctmgr -i add user games account=small >/dev/null
accounts() { sfair tenant -nP -o tenant | sort | paste -sd' '; }
accounts_are() { [[ $(accounts) == "$1" ]]; }
wait_for 20 accounts_are "big small"

complains "there is nothing to try" sfair try LeaseTerm=60

# ---- What is there, and what was.
for _ in 1 2; do
	running=$(submit -A big --time=5:00:00 --gres=gpu:4 --wrap 'sleep 9999')
done
wait_for 20 job_is "$running" RUNNING
waiting=$(submit -A small --uid=games --time=20 --gres=gpu:1 --wrap 'sleep 9999')
held=$(submit -A small --hold --gres=gpu:1 --wrap 'sleep 9999')
array=$(submit -A small --time=10 --gres=gpu:1 --array=1-3 --wrap 'sleep 9999')
echo "running $running, waiting $waiting and $array, held $held"

now=$(date +%s)
name=$(scontrol show config | sed -n 's/^ClusterName *= //p')
gpu=$(sacctmgr -nP show tres format=type,name,id | sed -n 's/^gres|gpu|//p')
# past ID DAYS PARTITION [ACCOUNT USER SECONDS]: a job of four GPUs of small's
# games, of 300 s, so many days ago
past() {
	local assoc tres="1=1,4=1,$gpu=4" start=$((now - $2 * 86400 + 3600))
	local account=${4:-small} user=${5:-games}
	assoc=$(sacctmgr -nP show assoc account="$account" user="$user" format=id)
	cat <<-EOT
		insert into \`${name}_job_table\` (account, cpus_req, job_name,
		id_assoc, id_job, id_resv, id_wckey, id_user, id_group, het_job_id,
		het_job_offset, state_reason_prev, nodes_alloc, \`partition\`,
		priority, state, time_submit, time_eligible, time_start, time_end,
		tres_alloc, tres_req) values ('$account', 1, 'x', $assoc, $1, 0, 0,
		$(id -u "$user"), 0, 0, 4294967294, 0, 1, '$3', 1, 3, $start,
		$start, $start, $((start + ${6:-300})), '$tres', '$tres');
	EOT
}
{
	for i in $(seq 10); do past $((10000 + i)) $((i % 2 + 1)) gpu; done
	past 10100 5 gpu
	past 10102 1 gpu big root 14400
	past 10101 1 other
} | mariadb --no-defaults --socket="$CLUSTER_DIR/run/db.socket" slurm_acct

# ---- Tried, from the page alone.
known() { [[ $(sacct -nPX -j "$running" -o state) == RUNNING ]]; }
wait_for 30 known
sfair try LeaseTerm=60 days=2 >"$OUT/text" 2>"$OUT/err" || fail "$(<"$OUT/err")"
cat "$OUT/text" "$OUT/err"
grep -qF "8 GPUs, 2 jobs running, 4 waiting;" "$OUT/text" || fail "what is there"
grep -qxF "Tried: LeaseTerm=30:00 becomes 60" "$OUT/text" || fail "what is tried"
grep -qF "than GPUs, left out: 1" "$OUT/err" || fail "what is left out"
# Leases that were granted go on: what waits now waits for their end either way.
# Those that run have not ended, and come once more; slurmdbd hears of it late.
grep -qE "jobs of the last days that have not ended, .*: [2-6]" "$OUT/err" ||
	fail "what has not ended"

# tries ARGUMENT...: parsable
tries() {
	sfair try -nP -Q "$@" 2>"$OUT/err" || fail "try $*: $(<"$OUT/err")"
}
check_eq "who waits less goes first" "small" \
	"$(tries LeaseTerm=60 days=2 Tenants format=tenant | head -n1)"
check "small waits less" awk -F'|' '
	$1 == "small" { less = $2 ~ /^-/ && $3 > $4 } END { exit !less }' \
	<(tries LeaseTerm=60 days=2 Tenants format=tenant,change,less,more)
# count DAYS: jobs that ended, of the pool
count() {
	tries LeaseTerm=60 "days=$1" Jobs format=jobid | grep -c "^10[01]"
}
check_eq "of a day, two and a week" "6 11 12" "$(count 1) $(count 2) $(count 7)"
check "games is a user" grep "^games|small|" \
	<(tries LeaseTerm=60 Users format=user,tenant,change)
check_eq "what waits is there" "yes" "$(tries LeaseTerm=60 Jobs format=jobid,present |
	sed -n "s/^$waiting|//p" | head -n1)"
ok "who would wait less"

# ---- Nothing was changed.
check_eq "the job that runs" RUNNING "$(job_state "$running")"
# lease_term: of what runs, in seconds
lease_term() {
	sfair record | python3 -c 'import json, sys
print(round(json.load(sys.stdin)["options"]["lease_sec"]))'
}
check_eq "the lease term" 1800 "$(lease_term)"

# ---- Refused, as by sfair check.
complains "LeaseTerm=60s: a time is" sfair try LeaseTerm=60s
complains "LeaseTrem=60: there is no such key" sfair try LeaseTrem=60
complains "CheckpointGrace=3 is not shorter than LeaseTerm=3" sfair try LeaseTerm=3
complains "there is no pool none; there are: gpu" sfair try LeaseTerm=60 pool=none
chmod 644 "$CLUSTER_DIR/etc/astraea.conf"
complains "only root, SlurmUser and operators.*--record" \
	as_other sfair try LeaseTerm=60
# A round that an operator gives to somebody, and slurmdbd's jobs as he sees them.
sfair record -o "$OUT/round.json"
chmod 644 "$OUT/round.json"
as_other sfair try LeaseTerm=60 --record "$OUT/round.json" -nP -Q Runs \
	format=run >"$OUT/runs" || fail "of a round"
check_eq "of a round" "today changed" "$(paste -sd' ' "$OUT/runs")"
ok "refusals"

# ---- The file as it is edited, and then it runs.
sed -i 's/LeaseTerm=30:00/LeaseTerm=60/' "$CLUSTER_DIR/etc/astraea.conf"
sfair try -Q >"$OUT/edited" || fail "the file"
grep -qxF "Tried: LeaseTerm=60" "$OUT/edited" || fail "$(<"$OUT/edited")"
sfair check
scontrol reconfigure
runs() { ! text=$(sfair try 2>&1) && [[ $text == *"nothing changes"* ]]; }
wait_for 30 runs
complains "nothing changes: what runs has these values" sfair try LeaseTerm=60
check_eq "the lease term" 60 "$(lease_term)"
ok "it runs as it was tried"

# ---- Without slurmdbd, and without the plugin.
# shellcheck disable=SC2154 # of live.sh
"$top/testsuite/lib/cluster" stop "$CLUSTER_DIR" slurmdbd
complains "who submitted what in the last days is not known: .*--trace" \
	sfair try LeaseTerm=300
printf '%s\n' job_id,tenant,user,submit_s,start_s,duration_s,gpus \
	j1,small,games,0,0,300,1 >"$OUT/trace.csv"
check_eq "a trace instead" "today changed" \
	"$(tries LeaseTerm=300 --trace "$OUT/trace.csv" Runs format=run | paste -sd' ')"
"$top/testsuite/lib/cluster" stop "$CLUSTER_DIR" slurmctld
complains "what runs is not known: .*--record" sfair try LeaseTerm=300
check_eq "a round instead" "today changed" \
	"$(tries LeaseTerm=300 --trace "$OUT/trace.csv" --record "$OUT/round.json" \
		Runs format=run | paste -sd' ')"
ok "what is there without slurmdbd or slurmctld"
