#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sfair try of a round and a trace that are made up: what is known to be better
# for small jobs is so, a tenant of more weight waits less, the same change twice
# gives the same bytes, and what is wrong is named on one line.
# Needs: test_forward

set -uo pipefail

build=$(realpath "${top_builddir:-build}")
sfair=$build/sfair
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cd "$tmp" || exit 1
export TZ=UTC SFAIR_SOCKET=/nonexistent/a.sock
unset SLURM_CONF

fail() {
	echo "FAIL $*"
	failed=1
}

# tries OUT ARGUMENT...: what it prints, without a header, in a file.
tries() {
	local out=$1
	shift
	"$sfair" try -nP -Q "$@" >"$out" 2>.err || fail "$*: $(<.err)"
	[[ ! -s .err ]] || fail "$*: $(<.err)"
}

# refused TEXT ARGUMENT...: exit 1, one line on stderr with TEXT, no output.
refused() {
	local text=$1 rc=0
	shift
	"$sfair" try "$@" >.out 2>.err || rc=$?
	((rc == 1)) || fail "$*: status $rc"
	[[ ! -s .out ]] || fail "$*: output in spite of an error"
	(($(wc -l <.err) == 1)) || fail "$*: $(wc -l <.err) lines on stderr"
	grep -qF -- "$text" .err || fail "$*: not \"$text\" but $(<.err)"
}

# column N FILE ROW: the Nth field of the row that begins with ROW.
column() { awk -F'|' -v n="$1" -v row="$3" '$1 == row { print $n }' "$2"; }

seconds() {
	awk -F: -v text="$1" 'BEGIN {
		sign = text ~ /^-/ ? -1 : 1
		gsub(/[-+]/, "", text)
		n = split(text, part, ":")
		for (i = 1; i <= n; i++) sum = sum * 60 + part[i]
		print sign * sum
	}'
}

# ---- Two nodes of four GPUs, all held by t0 alone for another hour and more;
# t1's short jobs come one after the other.
"$build/test_forward" 2 4 1 8 0 Promise=no MinRunTime=0 RecallAfter=0 \
	LeaseTerm=3600 >one.json || exit 1
python3 - >short.csv <<'EOT'
print("job_id,tenant,user,submit_s,start_s,duration_s,gpus")
for i in range(20):
    print(f"s{i},t0,u0,{60 + 120 * i},{60 + 120 * i},300,1")
EOT
one=(--record one.json --trace short.csv)

# A shorter lease lets those that come start sooner; preemptions are its price.
tries shorter "${one[@]}" LeaseTerm=300 Tenants \
	format=tenant,change,less,more,wait,newwait
less=$(seconds "$(column 2 shorter t0)")
((less < -300)) || fail "a shorter lease: $(<shorter)"
(($(column 3 shorter t0) >= 10 && $(column 4 shorter t0) == 0)) ||
	fail "who waits less: $(<shorter)"
tries runs "${one[@]}" LeaseTerm=300 Runs format=run,jobs,preempted,leases
[[ $(cut -d'|' -f1,2 runs | paste -sd' ') == 'today|28 changed|28' ]] ||
	fail "runs: $(<runs)"
awk -F'|' '{ n[NR] = $3 } END { exit !(n[2] > n[1]) }' runs ||
	fail "preemptions: $(<runs)"
# And a longer one, the other way round.
"$build/test_forward" 2 4 1 8 0 Promise=no MinRunTime=0 RecallAfter=0 \
	LeaseTerm=300 >back.json || exit 1
tries longer --record back.json --trace short.csv LeaseTerm=3600 Tenants \
	format=tenant,change,less,more
(($(seconds "$(column 2 longer t0)") == -less)) ||
	fail "back again: $(<shorter) $(<longer)"

# ---- Jobs that never start wait without end, not until the run is given up.
tries never "${one[@]}" MaxGPUHours=0 Runs format=run,never,wait,waitmax,wait95
grep -qx 'today|0|32:31|1:00:00|58:00' never || fail "today: $(<never)"
grep -qx 'changed|20|inf|inf|inf' never || fail "nobody may run: $(<never)"
tries never "${one[@]}" MaxGPUHours=0 Tenants format=tenant,newnever,newwait,change
[[ $(<never) == 't0|20|inf|+inf' ]] || fail "nobody may run: $(<never)"
"$sfair" try "${one[@]}" MaxGPUHours=0 >.out 2>.err || fail "$(<.err)"
grep -qF 'never start under what is tried: their wait is inf: 20' .err ||
	fail "nothing is said of jobs that never start: $(<.err)"

# ---- LeaseTerm=auto begins with the policy's term, and says so.
tries auto "${one[@]}" LeaseTerm=auto Runs format=run,jobs,leases
tries fixed "${one[@]}" LeaseTerm=900 Runs format=run,jobs,leases
[[ $(cut -d'|' -f1,2 auto | paste -sd' ') == 'today|28 changed|28' ]] ||
	fail "auto: $(<auto)"
cmp auto fixed || fail "auto is not 15 minutes: $(<auto) $(<fixed)"
refused 'LeaseMax=120 is shorter than LeaseMin=300' "${one[@]}" LeaseTerm=auto \
	LeaseMax=2:00

# ---- Of two tenants that want all of it, the one with more weight waits less.
"$build/test_forward" 2 4 2 0 20 >two.json || exit 1
tries weight --record two.json --trace short.csv Tenant=t1 Weight=6 Tenants \
	format=tenant,weight,newweight,change,jct,newjct
[[ $(cut -d'|' -f1-3 weight | sort | paste -sd' ') == 't0|1|1 t1|1|6' ]] ||
	fail "weights: $(<weight)"
(($(seconds "$(column 4 weight t1)") < 0)) || fail "weight: $(<weight)"
[[ $(head -n1 weight) == t1* ]] || fail "order: $(<weight)"

# ---- Users are rows, too; jobs have what tells them apart.
tries users --record two.json --trace short.csv LeaseTerm=300 Users \
	format=user,tenant,jobs
[[ $(sort users | paste -sd' ') == 'u0|t0|30 u1|t1|10' ]] ||
	fail "users: $(<users)"
tries jobs "${one[@]}" LeaseTerm=300 Jobs format=jobid,present,gpus,submit
[[ $(sed -n '8,9p' jobs | paste -sd' ') == \
	'8|yes|1|2023-11-14T22:13:20 s0|no|1|2023-11-14T22:13:20' ]] ||
	fail "jobs: $(<jobs)"

# ---- The same twice, and as JSON.
"$sfair" try "${one[@]}" LeaseTerm=300 --json -Q >a.out || fail "JSON"
"$sfair" try "${one[@]}" leaseterm=5:00 --json -Q >b.out || fail "JSON"
cmp <(grep -v '"to"' a.out) <(grep -v '"to"' b.out) || fail "not the same twice"
python3 - a.out <<'EOT' || fail "the document"
import json, sys
all = json.load(open(sys.argv[1]))
assert all["try"]["running"] == 8 and all["try"]["come"] == 20, all["try"]
assert all["try"]["tried"] == [
    {"what": "LeaseTerm", "from": None, "to": "300"}], all["try"]["tried"]
today, changed = all["runs"]
jobs = all["jobs"]
for run, key in (today, "wait_sec"), (changed, "new_wait_sec"):
    mean = sum(j[key] for j in jobs) / len(jobs)
    assert abs(run["wait_mean_sec"] - mean) < 1e-6
assert all["tenants"][0]["less"] == sum(j["change_sec"] <= -1 for j in jobs)
EOT

# ---- The live options are the base; the last days are the last ones.
python3 - >long.csv <<'EOT'
print("job_id,tenant,user,submit_s,start_s,duration_s,gpus")
for day in range(10):
    print(f"d{day},t0,u0,{86400 * day},{86400 * day},300,1")
EOT
for days in 1 3 7 10 366; do
	tries days --record one.json --trace long.csv LeaseTerm=300 days=$days \
		Runs format=jobs
	((want = 8 + (days < 10 ? days : 10)))
	[[ $(sort -u days) == "$want" ]] || fail "days=$days: $(<days)"
done

# ---- What is wrong: the words of sfair check, and nothing is run.
cat >slurm.conf <<EOT
ClusterName=world
SlurmctldHost=h
SlurmUser=$(id -un)
StateSaveLocation=$tmp
GresTypes=gpu
NodeName=n1 CPUs=4 Gres=gpu:8
PartitionName=gpu Nodes=n1
EOT
for words in LeaseTerm=abc LeaseTerm=60 LeaseTrem=3 Policy=ltgf+ltgf ReclaimMax=1 \
	MaxReclaim=-1; do
	echo "Pool=gpu Partitions=gpu $words" >astraea.conf
	said=$("$sfair" check --slurm-conf=slurm.conf 2>&1) &&
		fail "sfair check takes $words"
	said=${said##*line 1: }
	said=${said/ on a line of Pool/}
	refused "$said" "${one[@]}" "$words"
done
refused 'leaseterm=400: it is given twice, as 300, too' "${one[@]}" \
	LeaseTerm=300 leaseterm=400
refused '"LeaseTerm" has no value' "${one[@]}" LeaseTerm=
refused 'nothing changes: what runs has these values' "${one[@]}" LeaseTerm=1:00:00
refused 'nothing changes: say what is to be tried' "${one[@]}"
refused 'unknown word "LeaseTerm"' "${one[@]}" LeaseTerm 300
refused 'cannot be tried' "${one[@]}" Gres=shard
refused 'cannot be tried' "${one[@]}" HistoryDays=3
refused 'cannot be tried: nobody waits' "${one[@]}" LeaseProgram=/bin/true
refused 'cannot be tried' "${one[@]}" Pool=gpu Partitions=x
refused 'a whole number from 1 to 366' "${one[@]}" LeaseTerm=300 days=0
refused 'a whole number from 1 to 366' "${one[@]}" LeaseTerm=300 days=1e9
refused 'the round is of pool gpu, not of other' "${one[@]}" LeaseTerm=300 pool=other
refused 'Tenant=x: there is no such tenant; there are: t0' "${one[@]}" \
	Tenant=x Weight=3
refused 'Weight=-1: a number from 0 to 1e9' "${one[@]}" Tenant=t0 Weight=-1
refused 'OnUnfit=tenant cannot be tried: this release has no such option' \
	"${one[@]}" OnUnfit=tenant
refused 'Weight=3: there is no such key' "${one[@]}" Weight=3
refused 'Quota=3: there is no such key on a line of Tenant' "${one[@]}" \
	Tenant=t0 Quota=3
refused 'a term of 30 s, which what is tried has, is over before a job' \
	"${one[@]}" LeaseTerm=30 CheckpointGrace=5
refused 'format= goes with one table' "${one[@]}" LeaseTerm=300 format=tenant
refused 'no.json: line' --record no.json --trace short.csv LeaseTerm=300
echo '{"astraea_round": 1}' >old.json
refused 'of another version' --record old.json --trace short.csv LeaseTerm=300
echo '{}' >other.json
refused 'no round' --record other.json --trace short.csv LeaseTerm=300
refused 'none.csv' --record one.json --trace none.csv LeaseTerm=300

# ---- A file beside slurm.conf: its own changes are tried, too.
conf=(--slurm-conf=slurm.conf "${one[@]}")
echo 'Pool=gpu Partitions=gpu Promise=no MinRunTime=0 RecallAfter=0 LeaseTerm=300' \
	>astraea.conf
"$sfair" try "${conf[@]}" --json -Q >c.out || fail "a file"
cmp <(sed '/"tried"/,/\]/d' a.out) <(sed '/"tried"/,/\]/d' c.out) ||
	fail "the file is not what is tried"
echo 'Pool=gpu Partitions=gpu Promise=no MinRunTime=0 RecallAfter=0 LeaseTerm=1:00:00' \
	>astraea.conf
refused 'nothing changes' "${conf[@]}"
"$sfair" try "${conf[@]}" LeaseTerm=300 -Q >d.out || fail "with a file"
grep -qxF 'Tried: LeaseTerm=1:00:00 becomes 300' d.out || fail "$(<d.out)"
echo 'Pool=other Partitions=gpu' >>astraea.conf
refused 'partition gpu is in pool gpu already' "${conf[@]}" LeaseTerm=300
sed -i 's/Pool=other Partitions=gpu/Pool=other Partitions=cpu/' astraea.conf
printf '%s\n' 'NodeName=n2 CPUs=4 Gres=gpu:8' 'PartitionName=cpu Nodes=n2' >>slurm.conf
refused 'which pool? Say pool=NAME; there are: gpu; other' "${conf[@]}" \
	LeaseTerm=300
refused 'there is no pool x; there are: gpu; other' "${conf[@]}" LeaseTerm=300 \
	pool=x
"$sfair" try "${conf[@]}" Pool=gpu LeaseTerm=300 -Q >e.out || fail "a pool"
cmp d.out e.out || fail "a pool that is named"

((failed)) || echo "sfair try is right"
exit $failed
