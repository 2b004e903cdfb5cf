#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run, compare and tune as a user meets them: files come whole or not at all,
# the same seed gives the same bytes however many cores there are, what is wrong
# is named on one line with exit status 1, and tune's line is one that
# astraea.conf takes.

set -uo pipefail

here_dir=$(cd "$(dirname "$0")/../.." && pwd)
sim=$(realpath "${top_builddir:-build}/sfairsim")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
cd "$tmp" || exit 1

fail() {
	echo "FAIL $*"
	failed=1
}

# refused TEXT COMMAND...: exit 1, one line on stderr with TEXT, no output and
# no new file.
refused() {
	local text=$1 before after rc=0
	shift
	before=$(find . | sort)
	"$sim" "$@" >"$tmp/.out" 2>"$tmp/.err" || rc=$?
	after=$(find . ! -name .err ! -name .out | sort)
	((rc == 1)) || fail "$*: status $rc"
	[[ ! -s .out ]] || fail "$*: output in spite of an error"
	(($(wc -l <.err) == 1)) || fail "$*: $(wc -l <.err) lines on stderr"
	grep -qF -- "$text" .err || fail "$*: not \"$text\" but $(cat .err)"
	[[ $before == "$after" ]] || fail "$*: files were left"
	rm -f .err .out
}

cat >trace.csv <<'EOF'
job_id,tenant,user,submit_s,duration_s,gpus
1,a,u,0,2400,4
2,b,u,0,1200,2
3,b,v,60,1200,2
4,a,u,120,600,4
5,c,w,600,3000,1
EOF
here=(--trace trace.csv --nodes 1 --gpus 4)

# Files.
"$sim" run "${here[@]}" --out all >summary || fail "run --out"
[[ $(cd all && echo *) == \
	"intervals.csv jobs.csv result.json runs.csv sizes.csv tenants.csv" ]] ||
	fail "run --out: $(ls -A all)"
(($(wc -l <all/jobs.csv) == 6)) || fail "jobs.csv: lines"
grep -q '^1,a,u,,4,0,0,' all/jobs.csv || fail "jobs.csv: job 1"
python3 -m json.tool all/result.json >/dev/null || fail "result.json"
grep -q 'job sharing loss' summary || fail "no summary"
"$sim" run "${here[@]}" --json - | python3 -m json.tool >/dev/null ||
	fail "run --json -: more than JSON on stdout"
"$sim" run "${here[@]}" >/dev/full 2>/dev/null && fail "a full disk is no error"

# A signal leaves nothing: JSON waits for a reader when another file is begun.
mkfifo pipe
"$sim" run "${here[@]}" --jobs-csv ended.csv --json pipe >/dev/null &
for ((i = 0; i < 100; i++)); do
	compgen -G 'ended.csv.*' >/dev/null && break
	sleep 0.1
done
((i < 100)) || fail "run: no file was begun"
kill -TERM $!
wait $!
(($? == 128 + 15)) || fail "run: not ended by SIGTERM"
compgen -G 'ended.csv*' && fail "run: SIGTERM left a file"

# The same bytes.
"$sim" run "${here[@]}" --out again >/dev/null
diff -r all again || fail "run: not the same twice"
made=(-q --generate apps --jobs 200 --seed 7)
for cores in 1 2; do
	"$sim" compare "${made[@]}" --cores $cores --csv "c$cores.csv" \
		--json "c$cores.json" --markdown "c$cores.md" >"c$cores.txt" ||
		fail "compare --cores $cores"
done
for f in csv json md txt; do
	cmp "c1.$f" "c2.$f" || fail "compare: $f depends on the cores"
done
python3 -m json.tool c1.json >/dev/null || fail "compare --json"
(($(wc -l <c1.csv) > 10)) || fail "compare: not all policies"
grep -q '\*' c1.txt || fail "compare: no best one marked"
"$sim" run "${made[@]}" --seed 8 --json other.json >/dev/null
"$sim" run "${made[@]}" --json this.json >/dev/null
cmp -s this.json other.json && fail "another seed, the same result"

# The same numbers by another way, with every kind of loss.
for policy in ltgf gandiva tiresias; do
	"$sim" run -q --generate apps --jobs 300 --nodes 3 --rack-nodes 2 \
		--slowdown 1,1,1.1,1.3 --policy $policy --out again >/dev/null
	python3 "$here_dir/testsuite/sim/recompute.py" again 24 || fail "recompute: $policy"
done

# tune's line can be put into astraea.conf as it is.
"$sim" tune "${made[@]}" --terms 5:00,20:00,1:00:00 >tuned || fail "tune"
line=$(tail -n 1 tuned)
[[ $line =~ ^LeaseTerm=[0-9]+:[0-5][0-9]:[0-5][0-9]$ ]] || fail "tune: $line"
printf 'FairWithin=job\nPool=gpu Partitions=p %s\n' "$line" >astraea.conf
"$sim" run "${made[@]}" --config astraea.conf --json conf.json >/dev/null ||
	fail "tune's line in astraea.conf"
"$sim" run "${made[@]}" --set "$line" --set FairWithin=job \
	--json set.json >/dev/null
cmp conf.json set.json || fail "--config and --set differ"

# Another option: a row is what --set would give, and nothing is recommended.
"$sim" tune "${made[@]}" -p themis --vary fairnessknob=1,0.2 --csv knob.csv \
	>knob || fail "tune --vary"
[[ $(cut -d, -f1 knob.csv | xargs) == "FairnessKnob 1 0.2" ]] ||
	fail "tune --vary: rows $(cut -d, -f1 knob.csv | xargs)"
[[ $(head -c 12 knob) == FairnessKnob ]] || fail "tune --vary: no column"
[[ ! $(grep FairnessKnob= knob) ]] || fail "tune --vary: recommends"
"$sim" compare "${made[@]}" -p themis --set FairnessKnob=0.2 --csv - |
	cut -d, -f2- >one.csv
cut -d, -f2- knob.csv | sed 2d | cmp - one.csv || fail "--vary and --set differ"
"$sim" tune "${made[@]}" --terms 5:00,20:00 >terms || fail "tune --terms"
"$sim" tune "${made[@]}" --vary LeaseTerm=20:00,5:00 | cmp - terms ||
	fail "--vary LeaseTerm and --terms differ"

# What is wrong is named.
refused "one of --trace, --generate and --from-slurmdbd" run --nodes 1
refused "how large is the cluster?" run --trace trace.csv
refused "cannot read nope: No such file" run --trace nope --nodes 1
refused "there is no generator x; there are venus" run --generate x
refused "there is no policy x; there are ltgf" run "${here[@]}" --policy x
refused "there is no policy x; there are ltgf" compare "${here[@]}" -p ltgf,x
refused "policy ltgf is named twice" compare "${here[@]}" -p ltgf,ltgf
refused "policy fifo has no leases" tune -q "${here[@]}" --policy fifo
refused "\"x\" is no term" tune -q "${here[@]}" --terms 5:00,x
refused "FairnessKnob=2: " tune -q "${here[@]}" --vary FairnessKnob=0,2
refused "--vary: SlotLength=1: a slot lasts" \
	tune -q "${here[@]}" --vary SlotLength=600,1
refused "Lease=5: there is no such option" tune -q "${here[@]}" --vary Lease=5
refused "Policy=ltgf,themis: \"sfairsim compare\"" \
	tune -q "${here[@]}" --vary Policy=ltgf,themis
refused "--vary=x: KEY=VALUE" tune -q "${here[@]}" --vary x
refused "--vary: \"x\" is no term" tune -q "${here[@]}" --vary LeaseTerm=5:00,x
refused "either --terms or --vary" \
	tune -q "${here[@]}" --terms 5:00 --vary LeaseTerm=5:00
refused "policy fifo has no FairnessKnob" \
	tune -q "${here[@]}" --policy fifo --vary FairnessKnob=0
refused "CheckpointGrace=60 is not shorter than LeaseTerm=30" \
	tune -q "${here[@]}" --terms 30
refused "--nodes=0x: a whole number from 1" run --trace trace.csv --nodes 0x
refused "--gpus=0: a whole number from 1" run --trace trace.csv --gpus 0
refused "--slowdown=1,1,2: four factors" run "${here[@]}" --slowdown 1,1,2
refused "--slowdown=1,1,1,1e9: four factors" \
	run "${here[@]}" --slowdown 1,1,1,1e9
refused "at most 10 years" run "${here[@]}" --cold-start 1e18
refused "--interval: a time above 0" run "${here[@]}" --interval 0
refused "intervals of 0.0001 s are too short" \
	run "${here[@]}" -q --interval 0.0001
refused "/dev/zero: line 1 has no end" run --trace /dev/zero --nodes 1
refused "--set=Lease: KEY=VALUE" run "${here[@]}" --set Lease
refused "Lease=5: there is no such option" run "${here[@]}" --set Lease=5
refused "either --cluster or --nodes" run "${here[@]}" --cluster trace.csv
refused "unknown option --bogus: see sfairsim run --help" run "${here[@]}" --bogus
refused 'unexpected "x": see sfairsim run --help' run "${here[@]}" x
refused "start= and end= go with --from-slurmdbd" run "${here[@]}" start=now
refused "none/x: No such file or directory" \
	run "${here[@]}" --json none/x --jobs-csv jobs.csv
refused "two outputs go to x" compare "${here[@]}" --csv x --json x
printf 'job_id,tenant,submit_s,duration_s,gpus\n1,a,0,9,8\n' >large.csv
refused "large.csv: no job fits the cluster" \
	run --trace large.csv --nodes 1 --gpus 4 -q
printf 'Pool=a Partitions=x\nPool=b Partitions=y\n' >pools.conf
refused "which --pool? There are: a; b" run "${here[@]}" --config pools.conf
printf 'Pool=a Partitions=x\nPool=b Partitions=y LeaseTerm=never\n' >two.conf
refused "there is no pool c; there are: a; b" \
	run "${here[@]}" --config two.conf --pool c
refused "two.conf: line 2: LeaseTerm=never" \
	run "${here[@]}" --config two.conf --pool b
"$sim" run "${here[@]}" -q --config two.conf --pool a >/dev/null ||
	fail "--pool a"

# A job that is worth nothing is never planned: the simulation ends without it.
printf 'job_id,tenant,submit_s,duration_s,gpus,utility\n1,a,0,9,1,linear:0/0\n' \
	>worthless.csv
timeout 60 "$sim" run --trace worthless.csv --nodes 1 -q -p oasis \
	--set LendIdle=no --set Promise=no >worthless.txt || fail "a job that never runs"
grep -q '^jobs done  *0$' worthless.txt || fail "a job that never runs"

# An agent that bids the truth changes nothing; whom it speaks for is checked.
"$sim" run -q -g apps -j 60 -N 2 -p themis --jobs-csv - >estimated.csv
for kind in worse gain spread; do
	"$sim" run -q -g apps -j 60 -N 2 -p themis --overbid "1:0:$kind" \
		--jobs-csv - | cmp -s - estimated.csv ||
		fail "--overbid=1:0:$kind is not the estimate"
done
"$sim" run -q -g apps -j 60 -N 2 -p themis --set TrustBids=yes \
	--overbid 1:100 --jobs-csv - | cmp -s - estimated.csv &&
	fail "--overbid=1:100 is not heard of"
for bad in 1 1: :5 1:x 1:-1 1:1001 1:nan 1:5:more; do
	refused "--overbid=$bad: APP:PERCENT" run -q -g apps -j 60 -N 2 \
		--overbid "$bad"
done
for bad in 5 100% -1% x%; do
	refused "--error=$bad: PERCENT%" run -q -g apps -j 60 -N 2 --error "$bad"
done
refused "--overbid=none:5: no job of the trace is of that app" \
	run -q -g apps -j 60 -N 2 --overbid none:5

# What fits no node is promised no start, and is before nobody; what the policy
# leaves to wait is over its bound: (2 + (4 + 0) / 8) 900 + 50 s for both others.
cat >nodes.csv <<EOF
job_id,tenant,submit_s,duration_s,gpus,nodes
1,a,0,100,4,3
2,a,0,9000,8,2
3,a,1,100,4,1
EOF
"$sim" run -q --trace nodes.csv -N 2 -G 4 -p drf --out bound >bound.txt ||
	fail "run -p drf: bounds"
[[ $(cut -d, -f7,25 bound/jobs.csv | tail -n +2 | tr '\n' ' ') == \
	", 0,2750 9040,2300 " ]] || fail "bounds: $(cut -d, -f7,25 bound/jobs.csv)"
grep -qE '^first starts over the bound +1$' bound.txt || fail "over the bound"

# Each column and metric is in the manual page.
page=${top_srcdir:-$here_dir}/doc/man1/sfairsim.1
for key in $(cat all/jobs.csv all/tenants.csv all/intervals.csv all/runs.csv \
	all/sizes.csv \
	c1.csv | grep -E '^(job|tenant|begin_sec|gpus_min|policy),' | tr , '\n' | sort -u); do
	grep -qE "^\.(It )?Cm .*\b$key\b" "$page" || [[ $key == policy ]] ||
		fail "$key is not in the manual page"
done

((failed)) || echo "commands.sh: run, compare and tune do as they should"
exit "$failed"
