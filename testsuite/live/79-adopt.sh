#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair adopt: of two accounts of equal shares one has had more than its due
# before our plugins came, as slurmdbd knows. An operator is shown what accounts
# would begin with, nothing is changed without -i, and after it who was poor is
# served first. It stays over a restart; others may neither see nor do it.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=60 CheckpointGrace=3
EOT
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
export OUT=$CLUSTER_DIR/out
for a in poor rich; do
	sacctmgr -i add account name=$a >/dev/null
	sacctmgr -i add user root account=$a >/dev/null
done
sacctmgr -i add user games account=rich fairshare=3 >/dev/null

now=$(date +%s)
since=uts$((now - 7200))
adopt=(sfair adopt --from-slurmdbd "start=$since")
# adopted [ARGUMENT...]: parsable, in seconds
adopted() {
	"${adopt[@]}" -nP -t Seconds "$@" 2>"$OUT/err" ||
		fail "adopt $*: $(<"$OUT/err")"
}
accounts() { sfair tenant -nP -t Seconds -o tenant,alloc,fair | sort; }
accounts_are() { [[ $(accounts | paste -sd' ') == "$1" ]]; }
wait_for 20 accounts_are "poor|0.0|0.0 rich|0.0|0.0"
complains "there is no job that asks for GPUs.*nothing is adopted" "${adopt[@]}"

# ---- The past, in slurmdbd alone. rich's games had all four GPUs for 1000 s,
# its root two for 1000 s from the half of that on, then poor one for 500 s.
name=$(scontrol show config | sed -n 's/^ClusterName *= //p')
gpu=$(sacctmgr -nP show tres format=type,name,id | sed -n 's/^gres|gpu|//p')
# past ID ACCOUNT USER GPUS START SECONDS [PARTITION]
past() {
	local assoc tres="1=1,4=1,$gpu=$4" start=$((now - $5))
	assoc=$(sacctmgr -nP show assoc account="$2" user="$3" format=id)
	cat <<-EOT
		insert into \`${name}_job_table\` (account, cpus_req, job_name,
		id_assoc, id_job, id_resv, id_wckey, id_user, id_group, het_job_id,
		het_job_offset, state_reason_prev, nodes_alloc, \`partition\`,
		priority, state, time_submit, time_eligible, time_start, time_end,
		tres_alloc, tres_req) values ('$2', 1, 'x', ${assoc:-0}, $1, 0, 0,
		$(id -u "$3"), 0, 0, 4294967294, 0, 1, '${7:-gpu}', 1, 3, $start,
		$start, $start, $((start + $6)), '$tres', '$tres');
	EOT
}
{
	past 10001 rich games 4 3600 1000
	past 10002 rich root 2 3100 1000
	past 10003 poor root 1 2600 500
	past 10004 gone root 4 1600 1000
	past 10005 poor root 4 1600 1000 other
} | mariadb --no-defaults --socket="$CLUSTER_DIR/run/db.socket" slurm_acct

# ---- Shown. Of four GPUs two are each tenant's; due is min(demand, quota). Of
# rich's two three parts are games', as its fairshare says, while both have jobs.
"${adopt[@]}"
past="poor||500.0|500.0|1.000 poor|root|500.0|500.0|1.000"
past+=" rich||6000.0|3000.0|2.000 rich|games|4000.0|1750.0|2.286"
past+=" rich|root|2000.0|1250.0|1.600"
columns=tenant,user,alloc,fair,rho
check_eq "what it would be" "$past" "$(adopted -o $columns | paste -sd' ')"
cat "$OUT/err"
check "it says who was left out" grep -q "1 job of gone counts for nobody" \
	"$OUT/err"
check "it says that nothing is changed" grep -q "nothing is changed: -i does" \
	"$OUT/err"
sleep 2
accounts_are "poor|0.0|0.0 rich|0.0|0.0" || fail "a dry run changed: $(accounts)"

# ---- Refused.
for how in "" -i; do
	# shellcheck disable=SC2086 # none, or one
	complains "for root, SlurmUser and operators" as_other "${adopt[@]}" $how
done
complains "start=now[+]1hour is not in the past" \
	sfair adopt --from-slurmdbd start=now+1hour
complains "from when on" sfair adopt --from-slurmdbd
complains "there is no such pool" "${adopt[@]}" --pool=none

# ---- Done, and kept.
adopted -i >/dev/null
accounts
accounts_are "poor|500.0|500.0 rich|6000.0|3000.0" || fail "not as was shown"
for signal in TERM KILL; do restart_slurmctld $signal; done
wait_for 30 accounts_are "poor|500.0|500.0 rich|6000.0|3000.0"
columns=tenant,user,allocnow,fairnow,rhonow
check_eq "users, too" "$past" "$(adopted -o $columns | paste -sd' ')"

# ---- Who was poor is served first, though rich asked first.
scontrol update nodename=n1 state=drain reason=test
first=$(submit -A rich --gres=gpu:4 --wrap 'sleep 5')
second=$(submit -A poor --gres=gpu:4 --wrap 'sleep 5')
sleep 2
scontrol update nodename=n1 state=resume
wait_for 60 job_is "$first" COMPLETED
starts() { date -d "$(job_field "$1" StartTime)" +%s; }
check "poor is first" test "$(starts "$second")" -lt "$(starts "$first")"

# ---- What has begun is replaced only where that is said.
complains "accounts have begun.*--replace" "${adopt[@]}" -Q -i
adopted >/dev/null
check "it says how" grep -q "changed: -i --replace does it" "$OUT/err"
adopted -i --replace -o tenant,user,alloc | tee "$OUT/after"
check "the two jobs count, too" \
	awk -F'|' '$1 == "rich" && $2 == "" { exit !($3 > 6015 && $3 < 6100) }' \
	"$OUT/after"

# shellcheck disable=SC2154 # of live.sh
"$top/testsuite/lib/cluster" stop "$CLUSTER_DIR" slurmdbd
complains "sacct failed: " "${adopt[@]}"
