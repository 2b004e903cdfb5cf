#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair audit of a cluster that never ran our plugins: plain Slurm with
# slurmdbd. It finds the cluster's size and the accounts' shares there, and GPU
# time by account is sreport's to the second, of live jobs and of a day of jobs
# in the database.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

start_cluster --stock --accounting --nodes 1 --gpus 4
export OUT=$CLUSTER_DIR/out
check "no plugin of ours" test ! -e "$CLUSTER_DIR/etc/astraea.conf"
sacctmgr -i add account name=a fairshare=3 >/dev/null
sacctmgr -i add account name=b fairshare=1 >/dev/null
sacctmgr -i add account name=idle fairshare=4 >/dev/null
for a in a b idle; do sacctmgr -i add user root account=$a >/dev/null; done
sacctmgr -i add user games account=b >/dev/null

# audit ARGUMENT...: what it says of the window, parsable, in seconds
audit() {
	"$ASTRAEA_BUILDDIR/sfair" audit -nP -t Seconds "$@" 2>"$OUT/err" ||
		fail "audit $*: $(<"$OUT/err")"
}

# ---- Live jobs: a has the node, b waits; one is requeued, one is cancelled
# before it starts, one still runs.
# Jobs that run over the end of an hour are in no rollup of sreport yet.
while (($(date +%s) % 3600 > 3480)); do sleep 1; done
hour=$(($(date +%s) / 3600 * 3600))
cat >"$OUT/twice" <<'EOT'
#!/bin/bash
((${SLURM_RESTART_COUNT:-0})) || set 100
sleep "$1"
EOT
first=$(submit -A a --gres=gpu:4 --requeue "$OUT/twice" 2)
wait_for 30 job_is "$first" RUNNING
wait=$(submit -A b --uid=games --gres=gpu:3 --wrap 'sleep 3')
never=$(submit -A b --gres=gpu:4 --wrap true)
array=$(submit -A b --gres=gpu:1 --array=1-2 --wrap 'sleep 1')
sleep 2
scancel "$never"
scontrol requeue "$first"
# Slurm would let it wait for two minutes.
restart_soon() { scontrol update "job=$first" StartTime=now 2>/dev/null; }
wait_for 30 job_is "$first" PENDING
wait_for 30 restart_soon
for id in "$wait" "$first" "$array"; do wait_for 90 job_is "$id" COMPLETED; done

records() { sacct -nPX -D -j "$1" -o "$2" | paste -sd' '; }
state_is() { [[ $(records "$1" state) =~ ^$2$ ]]; }
wait_for 30 state_is "$first" '.* COMPLETED'
wait_for 30 state_is "$wait" COMPLETED
wait_for 30 state_is "$array" "COMPLETED COMPLETED"
wait_for 30 state_is "$never" 'CANCELLED.*'

window=("start=$(date -d "@$hour" +%FT%T)" end=now)
audit "${window[@]}" Tenants format=tenant,weight,quota,alloc | tee "$OUT/tenants"
check_eq "shares" "a|3|1.500 b|1|0.500 idle|4|2" \
	"$(cut -d'|' -f1-3 "$OUT/tenants" | grep -v '^root' | paste -sd' ')"

# used_by_sreport START END: account|seconds, of GPUs
used_by_sreport() {
	sacctmgr -i rollup "uts$1" "uts$2" >/dev/null
	sreport -nP -t Seconds -T gres/gpu cluster AccountUtilizationByUser \
		"start=uts$1" "end=uts$2" format=account,login,used |
		awk -F'|' '$2 == "" && $1 != "root" { print $1 "|" $3 }' | sort
}
# had START END [ARGUMENT...]: the same of the audit
had() {
	audit "start=uts$1" "end=uts$2" "${@:3}" Tenants format=tenant,alloc |
		sed -n 's/^\(.*|[1-9].*\)\.0$/\1/p' | sort
}
hours=$((hour + 7200)) # one may have passed
reported=$(used_by_sreport "$hour" "$hours")
echo "sreport: $reported"
check "sreport knows of GPU time" test "$(wc -l <<<"$reported")" = 2
check_eq "GPU time by account" "$reported" "$(had "$hour" "$hours")"

check_eq "runs of a requeued job" 2 \
	"$(audit "${window[@]}" Jobs users=root accounts=a format=runs)"
waited=$(sacct -nPX -j "$wait" -o submit,start |
	awk -F'|' '{ gsub(/[-T:]/, " "); print mktime($2) - mktime($1) }')
check "it waited: $waited" test "$waited" -gt 0
check_eq "the wait" "$waited" \
	"$("$ASTRAEA_BUILDDIR/sfair" audit "${window[@]}" --json |
		python3 -c 'import json, sys
for job in json.load(sys.stdin)["jobs"]:
	if job["id_text"] == sys.argv[1]: print(round(job["wait_sec"]))' "$wait")"
check_eq "what never ran had nothing" "$never|0.0|0" \
	"$(audit "${window[@]}" Jobs format=jobid,alloc,runs | grep "^$never|")"
check_eq "reality, and two policies" "reality slurm ltgf" \
	"$(audit "${window[@]}" --policy slurm,ltgf --cold-start 0 \
		Policies format=policy | paste -sd' ')"

# ---- On the first day yesterday had no job: today is looked at.
audit Tenants format=tenant >"$OUT/day"
if [[ $(date -d "@$hour" +%F) == "$(date +%F)" ]]; then
	check "it says: $(<"$OUT/err")" \
		grep -q 'no job asked for GPUs yesterday; this covers yesterday and today' "$OUT/err"
	check_eq "tenants of the first day" "a b" "$(grep -x '[ab]' "$OUT/day" | sort | xargs)"
fi

# ---- Accounts below accounts weigh as sshare says.
sacctmgr -i add account name=b1 parent=b fairshare=4 >/dev/null
sacctmgr -i add account name=b2 parent=b fairshare=2 >/dev/null
for a in b1 b2; do sacctmgr -i add user root account=$a >/dev/null; done
# By account, of what all users of accounts below root have. NormShares is a part
# of its level, which the blanks before an account tell.
normal() {
	sshare -aPn -o account,user,normshares | awk -F'|' '
		{
			match($1, /^ */)
			level = RLENGTH
			gsub(/ /, "", $1)
			of[level] = level ? of[level - 1] * $3 : 1
		}
		$1 != "root" && $2 != "" { part[$1] += of[level]; all += of[level] }
		END { for (a in part) printf "%s %.3f\n", a, part[a] / all }' | sort
}
audited() {
	audit "${window[@]}" Tenants format=tenant,weight | awk -F'|' '
		$1 != "root" { part[$1] = $2; all += $2 }
		END { for (a in part) printf "%s %.3f\n", a, part[a] / all }' | sort
}
normal
five() { (($(normal | wc -l) == 5)); }
wait_for 20 five
check_eq "shares of each level" "$(normal)" "$(audited)"

# ---- A day: 400 jobs of yesterday and the hours around it, in the database.
day=$(date -d "$(date -d yesterday +%F)" +%s)
end=$(date -d "$(date +%F)" +%s)
gpu=$(sacctmgr -nP show tres format=type,name,id | sed -n 's/^gres|gpu|//p')
assoc() {
	sacctmgr -nP show assoc account="$1" user=root format=id
}
python3 - "$day" "$end" "$gpu" "$(assoc a)" "$(assoc b)" >"$OUT/sql" <<'EOT'
import random, sys
day, end, gpu, a, b = map(int, sys.argv[1:])
random.seed(7)
for n in range(400):
    submit = random.randrange(day - 7200, end)
    start = submit + random.randrange(0, 5400)
    stop = start + int(random.paretovariate(0.9) * 120) % 20000
    tres = f"1=1,4=1,{gpu}={random.choice([1, 1, 2, 4])}"
    print(f"""insert into cluster_job_table (account, cpus_req, job_name,
        id_assoc, id_job, id_resv, id_wckey, id_user, id_group, het_job_id,
        het_job_offset, state_reason_prev, nodes_alloc, `partition`, priority,
        state, time_submit, time_eligible, time_start, time_end, tres_alloc,
        tres_req) values ('{"ab"[n % 2]}', 1, 'x', {(a, b)[n % 2]}, {n + 10000},
        0, 0, 0, 0, 0, 4294967294, 0, 1, 'gpu', 1, 3, {submit}, {submit},
        {start}, {stop}, '{tres}', '{tres}');""")
EOT
name=$(scontrol show config | sed -n 's/^ClusterName *= //p')
sed -i "s/cluster_job_table/\`${name}_job_table\`/" "$OUT/sql"
database() {
	mariadb --no-defaults --socket="$CLUSTER_DIR/run/db.socket" slurm_acct
}
database <"$OUT/sql"
audit_fails() {
	local text=$1
	shift
	if "$ASTRAEA_BUILDDIR/sfair" audit "$@" >"$OUT/out" 2>"$OUT/err"; then
		fail "audit $* passed"
	fi
	check_eq "lines of $*" "1 0" "$(wc -l <"$OUT/err") $(wc -l <"$OUT/out")"
	grep -qF -- "$text" "$OUT/err" || fail "audit $*: $(<"$OUT/err")"
}
audit_fails "slurmdbd knows of no GPUs of cluster $name then" start=uts"$day" \
	end=uts"$end"
# sreport tells nothing of a time in which there was no cluster.
database <<<"update \`${name}_event_table\` set time_start = $day - 86400
	where node_name = '' order by time_start desc limit 1"
reported=$(used_by_sreport "$day" "$end")
echo "sreport: $reported"
check "sreport knows of the day" test "$(wc -l <<<"$reported")" = 2
check_eq "GPU time of a day" "$reported" \
	"$(had "$day" "$end")"
check_eq "yesterday is what is audited unless told otherwise" "$reported" \
	"$(audit Tenants format=tenant,alloc |
		sed -n 's/^\(.*|[1-9].*\)\.0$/\1/p' | sort)"
# ---- What goes wrong.
audit_fails "unknown account c: there are" "${window[@]}" accounts=c
audit_fails "there is no job" start=2001-01-01 end=2001-01-02
# shellcheck disable=SC2154 # of live.sh
"$top/testsuite/lib/cluster" stop "$CLUSTER_DIR" slurmdbd
audit_fails "sacct failed: " "${window[@]}"
