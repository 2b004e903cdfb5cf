#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A tenant of gangs has its share beside a flood of small jobs: two tenants of
# equal weight, on one node of 4 GPUs and on four. `small` always has 1-GPU jobs
# in its queue, each about a lease long. `big` has gangs that never end, of all 4
# GPUs of the one node and of 8 on the four. They checkpoint at once. After 12
# terms of slurmctld's clock each tenant has had half of the GPU time, within 5
# points. Half a turn of a gang is 4 points then, and on a busy machine each start
# takes a second more: there it may take up to 36 terms. RecallAfter is as much of a
# term as by default: no gang leaves before its turn is over because small jobs wait.
#
# And sfair why of a gang that waits for its turn says so.
#
# GPUS=8: of a node [4]; GANG=4, 8 or 16: GPUs of a gang on the four nodes.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

term=${TERM_SEC:-11} terms=12 gpus=${GPUS:-4} gang=${GANG:-$((2 * ${GPUS:-4}))}
conf=$(mktemp)
cat >"$conf" <<-EOT
	RoundInterval=1
	LeaseTerm=$term
	CheckpointGrace=3
	RecallAfter=2
	Pool=one Partitions=gpu
	Pool=four Partitions=four
	Tenant=small Accounts=small
	Tenant=big Accounts=big
EOT
start_cluster --nodes 5 --gpus "$gpus" --cpus $((4 * gpus)) --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=four Nodes=n[2-5] State=UP'
rm -f "$conf"

# Twice as many jobs a term as there are GPUs, a few at a time: of one pool one
# by one, of the other one in arrays.
flood() {
	local next=$SECONDS part=$((term / 4))
	while :; do
		for ((i = 0; i < gpus; i += 2)); do
			submit -A small -p gpu --gres=gpu:1 -o /dev/null \
				--wrap "exec sleep $((term - 1))"
		done
		submit -A small -p four --gres=gpu:1 -o /dev/null \
			--array=1-$((2 * gpus)) --wrap "exec sleep $((term - 1))"
		next=$((next + part))
		((SECONDS >= next)) || sleep $((next - SECONDS))
	done >/dev/null
}

endless() { # PARTITION GPUS: a gang
	submit -A big -p "$1" --gpus-per-node="$gpus" -N $(($2 / gpus)) \
		--signal=B:USR1 --open-mode=append --wrap '
			trap "exit 85" USR1
			sleep 100000 & wait'
}

# TIME, of the last round, then GPU seconds of small and big in the pool.
used() {
	sfair tenant --pool="$1" --json | python3 -c '
import json, sys
reply = json.load(sys.stdin)
had = {t["name"]: t["alloc_gpu_sec"] for t in reply["tenants"]}
print(reply["time_sec"], had.get("small", 0), had.get("big", 0))'
}

on_failure() {
	end_child "$flood"
	sfair lease
	sfair tenant
	sfair diag
	for id in "${gangs[@]}"; do sfair why "$id"; done
}

flood='' gangs=()
# Both pools are full of small jobs before the first gang comes.
flood &
flood=$!
full() {
	sfair tenant -nP -o GPUs | awk '{ n += $1 } END { exit !(n >= '$((4 * gpus + gpus / 2))') }'
}
wait_for 30 full
gangs=("$(endless gpu "$gpus")")
for ((i = 0; i < 4 * gpus; i += gang)); do gangs+=("$(endless four "$gang")"); done
read -r begin one_small one_big <<<"$(used one)"
read -r _ four_small four_big <<<"$(used four)"

over() {
	read -r now _ <<<"$(used one)"
	awk "BEGIN { exit !($now >= $begin + $1 * $term) }"
}
shares() { # POOL SMALL BIG: in percent, of what both had since, and of all GPUs
	used "$1" | awk -v s="$2" -v b="$3" -v g="$4" -v from="$begin" '{
		s = $2 - s; b = $3 - b
		printf "%.1f %.1f %.1f\n", 100 * s / (s + b),
			100 * b / (s + b), 100 * (s + b) / g / ($1 - from) }'
}

# What sfair why says of the gangs, each kind of answer once.
declare -A said=()
look() {
	local id text kind
	for id in "${gangs[@]}"; do
		text=$(sfair why "$id" | tr '\n' ' ') || continue
		case $text in
		*"It is the first"*"It is number"*) fail "first and second: $text" ;;
		*"It is owed a turn:"*"being collected for it from leases of richer"*)
			kind='collected' ;;
		*"It is owed a turn:"*) kind='owed' ;;
		*"It is owed a turn once"*) kind='not owed' ;;
		*) continue ;;
		esac
		[[ ! ${said[$kind]-} ]] || continue
		said[$kind]=$text
		echo "$kind: $text"
	done
}

# Whether both kinds of answers were heard, and both tenants are within 5 points.
settled() {
	local pool small big
	[[ ${said[collected]-} && ${said[not owed]-} ]] || return 1
	for pool in "one $one_small $one_big $gpus" \
		"four $four_small $four_big $((4 * gpus))"; do
		# shellcheck disable=SC2086
		read -r small big _ <<<"$(shares $pool)"
		is_half "$big" || return 1
	done
}
is_half() { awk "BEGIN { exit !($1 >= 45 && $1 <= 55) }"; }

for ((i = 1; i <= 3 * terms; i++)); do
	((i <= terms)) || ! settled || break
	until over $i; do
		look
		sleep 0.5
	done
	echo "after $i terms: small, big, GPUs in use: one node" \
		"$(shares one "$one_small" "$one_big" "$gpus") %, four nodes" \
		"$(shares four "$four_small" "$four_big" $((4 * gpus))) %"
done
kill "$flood" || fail "jobs of small could not be submitted"

judge() { # POOL SMALL BIG GPUS
	read -r small big busy <<<"$(shares "$@")"
	check "$1: big has $big % of the GPU time, small $small %" is_half "$big"
	check "$1: only $busy % of the GPUs were in use" \
		awk "BEGIN { exit !($busy > 75) }"
	ok "shares on $1"
}
check "sfair why says of no gang that GPUs are collected for its turn" \
	test "${said[collected]-}"
check "sfair why says of no gang what is lacking until it is owed a turn" \
	test "${said[not owed]-}"
ok "why of an owed turn"
judge one "$one_small" "$one_big" "$gpus"
judge four "$four_small" "$four_big" $((4 * gpus))
check "sfair diag does not tell of leases that ended early" \
	grep -q 'Leases ended early  *[1-9]' <<<"$(sfair diag)"
check "sfair metrics does not tell what that cost" \
	grep -q '^astraea_pool_early_ends_gpu_seconds_total{.*} [0-9]*[1-9]' \
	<<<"$(sfair metrics)"
ok "early ends are told"
