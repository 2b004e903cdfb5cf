#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A recorded round of production decided offline gives the same plan, byte by
# byte: in a queue with holds and promises, and in an auction.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 CheckpointGrace=3
EOT
start_cluster --nodes 3 --gpus 4 --astraea "$conf"
rm -f "$conf"
work=$CLUSTER_DIR/records
mkdir "$work"
# answered: once the first round has ended.
answered() { sfair tenant >/dev/null 2>&1; }
wait_for 20 answered
# So that they wait in line, however long it takes to ask.
scontrol update nodename=n[1-3] state=drain reason=order
for i in $(seq 30); do
	submit --gres=gpu:$((i % 4 + 1)) --wrap 'sleep 7' >/dev/null
done
submit -N2 --gres=gpu:4 --wrap 'sleep 5' >/dev/null
scontrol update nodename=n[1-3] state=resume

# repeat NAME: one record, decided again.
repeat() {
	local file=$work/$1.json
	sfair record -o "$file"
	sfairsim decide <"$file" >"$work/$1.plan"
	sfairsim decide --recorded <"$file" >"$work/$1.recorded"
	cmp "$work/$1.plan" "$work/$1.recorded"
}
for i in $(seq 12); do
	repeat "ltgf-$i"
done
decisions=$(cat "$work"/ltgf-*.plan | grep -c '"action"') || true
((decisions > 0)) || fail "no record has a decision"
set_conf Policy themis
wait_for 20 answered # where that replaces slurmctld, as from 23.11 on
for i in $(seq 6); do
	repeat "themis-$i"
done
grep -q '"policy": "themis"' "$work/themis-6.json" ||
	fail "the last record is of another policy"

# A plan that is not the recorded one is noticed.
sed '0,/"rank": /s/"rank": [0-9]*/"rank": 999/' "$work/ltgf-1.json" \
	>"$work/other.json"
! sfairsim decide <"$work/other.json" >/dev/null 2>"$work/err" ||
	fail "a changed record was taken for the same"
grep -q 'not the recorded one' "$work/err" || fail "$(cat "$work/err")"

# All jobs are in it: not for everybody.
! as_other sfair record \
	>/dev/null 2>"$work/err" || fail "anybody may record"
grep -q 'only root, SlurmUser and operators' "$work/err" ||
	fail "$(cat "$work/err")"
