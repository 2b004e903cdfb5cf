#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sfair audit as a manager meets it: figures of a small trace that are known by
# hand, the same ones from accounting, whose programs are played here, filters
# and formats, reality beside policies, and what is wrong named on one line.

set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
sfair=$(realpath "${top_builddir:-build}/sfair")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cd "$tmp" || exit 1
export TZ=UTC

fail() {
	echo "FAIL $*"
	failed=1
}

# shows TEXT ARGUMENT...: one line of what audit prints is TEXT.
shows() {
	local text=$1
	shift
	"$sfair" audit "$@" >.out 2>.err || fail "$*: $(<.err)"
	grep -qxF -- "$text" .out || fail "$*: not \"$text\" but $(<.out)"
	[[ ! -s .err ]] || fail "$*: $(<.err)"
}

# refused TEXT ARGUMENT...: exit 1, one line on stderr with TEXT, no output.
refused() {
	local text=$1 rc=0
	shift
	"$sfair" audit "$@" >.out 2>.err || rc=$?
	((rc == 1)) || fail "$*: status $rc"
	[[ ! -s .out ]] || fail "$*: output in spite of an error"
	(($(wc -l <.err) == 1)) || fail "$*: $(wc -l <.err) lines on stderr"
	grep -qF -- "$text" .err || fail "$*: not \"$text\" but $(<.err)"
}

# ---- A trace. 4 GPUs, A and B of weight 1; test_audit.c has the sums.

cat >trace.csv <<'EOF'
job_id,tenant,user,submit_s,start_s,duration_s,gpus
a1,A,u,0,0,100,4
b1,B,v,20,100,40,2
a2,A,w,60,100,20,2
EOF
trace=(--trace trace.csv --nodes 1 --gpus 4)
shows 'A|1|2|2|440.0|240.0|1.833|0.000|40.0|0:20' "${trace[@]}" -P -t sec
shows 'B|1|2|1|80.0|240.0|0.333|1.000|160.0|1:20|' "${trace[@]}" -p -t s Tenants
shows 'b1|20|160.0' "${trace[@]}" -nP -t s Wronged format=jobid,submit,lost
check_lines() { (($(wc -l <.out) == $1)) || fail "$1 lines: $(<.out)"; }
check_lines 2
shows 'b1|160.0' "${trace[@]}" -nP -t s Wronged topcount=1 format=jobid,lost
check_lines 1
shows 'a1|0|0|100' "${trace[@]}" -nP Jobs users=u format=JobID,Submit,Start,End
check_lines 1
shows '2|2|0|2.0|1:00|0:40|1:20|1:20|3.000|3.000|3.000' "${trace[@]}" -P Sizes
shows 'Trace trace.csv from 50 to 110: 4 GPUs, 3 jobs' "${trace[@]}" \
	start=50 end=110
shows 'A|220.0|120.0' "${trace[@]}" -nP -t s Tenants accounts=A \
	start=50 end=110 format=Tenant,Alloc,Fair
check_lines 1
printf 'tenant,weight\nA,3\nB,1\nC,4\n' >weights.csv
shows 'A|1.500' "${trace[@]}" -nP Tenants --weights weights.csv \
	format=tenant,quota
shows 'C|2|0|N/A' "${trace[@]}" -nP Tenants --weights weights.csv \
	format=tenant,quota,jobs,rho
shows 'A|280.0' "${trace[@]}" -nP -t s Tenants --set TenantVariant=eq16 \
	format=tenant,fair

# Reality is what plain Slurm does with these jobs.
same=(--cold-start 0 --policy slurm)
shows 'slurm|0.667|0.333|1.833|2.333|0:40' "${trace[@]}" "${same[@]}" -nP \
	Policies format=policy,jobloss,rhomin,rhomax,slowdown,wait
check_eq() { [[ $1 == "$2" ]] || fail "not $1 but $2"; }
check_eq "$(sed -n 's/^reality|//p' .out)" "$(sed -n 's/^slurm|//p' .out)"
shows 'slurm|B|80.0|240.0|0.333' "${trace[@]}" "${same[@]}" -nP -t s \
	PolicyTenants format=policy,tenant,alloc,fair,rho
shows 'slurm|2|2|1:00|3.000' "${trace[@]}" "${same[@]}" -nP \
	PolicySizes format=policy,gpus,jobs,wait,slowdown
"$sfair" audit "${trace[@]}" "${same[@]}" --json >all.json || fail "--json"
python3 - <<'EOF' || fail "JSON: $(cat all.json)"
import json
d = json.load(open("all.json"))
assert d["audit"]["gpus"] == 4 and d["audit"]["entitlement"] == "eq8"
assert [j["id_text"] for j in d["jobs"]] == ["a1", "b1", "a2"]
assert [j["id_text"] for j in d["wronged"]] == ["b1", "a2"]
assert d["metrics"]["lost_share"] is None
assert [p["policy"] for p in d["policies"]] == ["reality", "slurm"]
EOF

refused 'unknown account C: there are A, B' "${trace[@]}" accounts=A,C
refused 'user q had no GPU job in the window' "${trace[@]}" users=q
refused 'end=20 is not after start=30' "${trace[@]}" start=30 end=20
refused 'no job was there between' "${trace[@]}" start=200 end=300
refused "start=noon: a trace's times" "${trace[@]}" start=noon
refused 'there is no policy lottery; there are ltgf' "${trace[@]}" \
	--policy slurm,lottery
refused 'unknown field "Colour"' "${trace[@]}" Tenants format=Colour
refused 'format= goes with one table' "${trace[@]}" format=Tenant
refused 'Policies goes with --policy' "${trace[@]}" Policies
refused 'unknown word "Rounds"' "${trace[@]}" Rounds
refused 'unknown word "begin=1"' "${trace[@]}" begin=1
refused 'allowed: Seconds, Minutes, Hours' "${trace[@]}" -t years
refused 'allowed: gres/gpu' "${trace[@]}" -T cpu
refused 'LeaseTerm=x' "${trace[@]}" --set LeaseTerm=x
refused '--nodes=0: a whole number' --trace trace.csv --nodes 0 --gpus 4
refused 'how large was the cluster' --trace trace.csv
refused 'unknown option --colour' "${trace[@]}" --colour
refused 'none.csv' --trace none.csv --nodes 1 --gpus 1
printf 'job_id,tenant,user,submit_s,duration_s,gpus\n1,A,u,0,5,1\n' >plain.csv
refused 'does not say when its jobs started' --trace plain.csv --nodes 1 --gpus 1

# ---- Accounting: the same jobs, b1 requeued once more after the window, one
# that waits, one that was never started, one without GPUs.

mkdir bin
cat >slurm.conf <<'EOF'
ClusterName=moon
SlurmctldHost=localhost
EOF
cat >accounted <<'EOF'
JobID|JobIDRaw|Account|User|Submit|Start|End|ElapsedRaw|AllocTRES|ReqTRES|TimelimitRaw|State|NNodes
1|1|A|u|1700000000|1700000000|1700000100|100|gres/gpu=4|gres/gpu=4|10|COMPLETED|1
2|2|B2|v|1700000020|1700000100|1700000140|40|gres/gpu=2|gres/gpu=2|10|PREEMPTED|1
2|2|B2|v|1700000140|1700000300|1700000340|40|gres/gpu=2|gres/gpu=2|10|COMPLETED|1
3|3|A|w|1700000060|1700000100|1700000120|20|gres/gpu=2|gres/gpu=2|10|COMPLETED|1
4|4|A|w|1700000060|None|1700000060|0||gres/gpu=2|10|CANCELLED by 0|1
5|5|A|w|1700000060|1700000060|1700000070|10|cpu=1|cpu=1|10|COMPLETED|1
EOF
cat >associations <<'EOF'
root|||1
A|root||1
A||u|1
B|root||1
B2|B||parent
B2||v|parent
C|root||2
C||w|1
D|root||7
EOF
cat >bin/sacct <<'EOF'
#!/bin/bash
echo "$*" >asked
cat accounted
EOF
cat >bin/sacctmgr <<'EOF'
#!/bin/bash
[[ $* == *clusters=moon* ]] || exit 1
if [[ $* == *associations* ]]; then
	cat associations
else
	echo "1600000000|cpu=8
1650000000|cpu=8,gres/gpu=4
1620000000|cpu=8,gres/gpu=2"
fi
EOF
chmod +x bin/*
export SLURM_CONF=$tmp/slurm.conf PATH=$tmp/bin:$PATH
window=(start=2023-11-14T22:13:20 end=2023-11-14T22:15:40)
shows 'Cluster moon from 2023-11-14T22:13:20 to 2023-11-14T22:15:40: 4 GPUs, 3 jobs' \
	"${window[@]}"
grep -q -- '--starttime=uts1700000000 --endtime=uts1700000140' asked ||
	fail "asked for $(<asked)"
# B2 is B's; C has a share, though no job, and D, without users, has none.
# 1 GPU each for A and B: A 140, a GPU less where it wants none; B 120.
shows 'A|1|1|2|440.0|120.0|3.667' "${window[@]}" -nP -t s Tenants \
	format=tenant,weight,quota,jobs,alloc,fair,rho
grep -qx 'B|1|1|1|80.0|120.0|0.667' .out || fail "B: $(<.out)"
grep -qx 'C|2|2|0|0.0|0.0|N/A' .out || fail "C: $(<.out)"
check_lines 3
shows '2|v|B2|1:20|4.000|2' "${window[@]}" -nP Jobs accounts=B \
	format=jobid,user,account,wait,slowdown,runs
shows '2|v|B2|1:20|4.000|2' "${window[@]}" -nP Jobs accounts=B2 \
	format=jobid,user,account,wait,slowdown,runs
shows '1|4' "${window[@]}" -nP Jobs users=u --nodes 2 --gpus 4 \
	format=jobid,gpus
# ---- Accounts below accounts, in any order: of each level's part by its shares,
# users' too, as sshare has it; or by their own numbers; or one level's.
cat >associations <<'EOF'
root|||1
A||u|2
A||w|1
A|X||3
B|X||2
X|root||6
B2|B||5
B2||v|1
Y|root||2
Y||w|9
X||w|1
EOF
weights=("${window[@]}" -nP Tenants format=tenant,weight,quota)
shows 'A|3|1.500' "${weights[@]}"
for line in 'B2|2|1' 'X|1|0.500' 'Y|2|1'; do
	grep -qxF "$line" .out || fail "$line: $(<.out)"
done
check_lines 4
shows 'A|3|0.750' "${weights[@]}" --set=TenantShares=account
for line in 'B2|5|1.250' 'X|6|1.500' 'Y|2|0.500'; do
	grep -qxF "$line" .out || fail "$line: $(<.out)"
done
shows 'X|6|3' "${weights[@]}" --set=tenantlevel=1
check_lines 2
shows '2|v|B2' "${window[@]}" --set=TenantLevel=2 -nP Jobs accounts=B \
	format=jobid,user,account
refused 'TenantLevel=0: account, or a level from 1 to 99' --set=TenantLevel=0
refused 'TenantShares=x: tree or account' --set=TenantShares=x
refused "sacctmgr's accounts are not asked for" "${trace[@]}" \
	--set=TenantLevel=1
refused 'start=yesteryear: is no time' start=yesteryear
refused 'is not after' start=2023-11-14 end=2023-11-13
refused 'is not after' start=now+1hour
refused 'unknown account E: there are A, B2, X, Y' "${window[@]}" accounts=E
refused '--cluster=moon,sun: one cluster' -M moon,sun
refused 'either --trace or --cluster' --trace trace.csv -M moon
sed -i 1q accounted
refused 'there is no job that asks for GPUs' "${window[@]}"
printf '#!/bin/bash\necho "sacct: error: no slurmdbd" >&2\nexit 1\n' >bin/sacct
refused 'sacct failed: sacct: error: no slurmdbd' "${window[@]}"
export SLURM_CONF=$tmp/nowhere.conf
refused 'nowhere.conf' "${window[@]}"

# ---- The manual page's example is what is printed.

page=$(realpath "${top_srcdir:-$here/../..}/doc/man1/sfair-audit.1")
sed -n '/^job_id,/,/^\.Ed/p' "$page" | sed '$d' >jobs.csv
"$sfair" audit --trace jobs.csv --nodes 1 --gpus 4 -t hours \
	--policy slurm,ltgf >.out 2>.err || fail "the example: $(<.err)"
sed -n '/BEGIN example/,/END/p' "$page" | sed '1d;$d' | diff - .out ||
	fail "the example of sfair-audit(1)"

((!failed)) && echo "audit: all as it should be"
exit "$failed"
