#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# First starts are kept in a crowd, on 24 nodes. A gang of half of them comes into
# streams of small jobs, its own tenant's too, beside a tenant that has what it
# wants: it begins within its bound, and within what sfair and squeue tell. Then ten
# users have one account and one of them floods it: the others have their parts.
# One line "ok NAME" for each.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

term=12 nodes=24 gpus=2
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=$term CheckpointGrace=2 MinRunTime=3 RecallAfter=4
	Tenant=content Accounts=content
	Tenant=left Accounts=left
	Tenant=right Accounts=right
EOT
start_cluster --nodes $nodes --gpus $gpus --cpus 8 --astraea "$conf"
rm -f "$conf"

as() { # USER SBATCH_ARGUMENT...
	setpriv --reuid "$1" --regid games --clear-groups \
		sbatch --parsable -o /dev/null --chdir=/ "${@:2}"
}
waiting() { squeue -h -t PD -o %i "$@" | wc -l; }
running() { squeue -h -t R -o %i "$@" | wc -l; }
# Of all jobs that began, how many were late.
metric() {
	sfair metrics | awk -v m="astraea_pool_first_starts$1_total" \
		'index($1, m "{") == 1 { print $2 }'
}
field() { sfair job -nP -j "$1" -o "$2" 2>/dev/null; }
stamp() { date -d "$1" +%s; }

# ---- A gang in a stream.
for _ in 1 2 3 4; do
	submit -A content --gres=gpu:1 --wrap 'exec sleep 1000' >/dev/null
done
# Small jobs of two tenants, three users, as many as keep some waiting.
stream() {
	local i=0 users=(games daemon bin) accounts=(left left right)
	while :; do
		if (($(waiting -n small) < 8)); then
			as "${users[i % 3]}" -A "${accounts[i % 3]}" -J small \
				--gres=gpu:1 --wrap "sleep $((8 + RANDOM % 20))"
			i=$((i + 1))
		else
			sleep 0.3
		fi
	done >/dev/null
}
stream &
stream=$!
ends() {
	local status=$?
	end_child $stream
	live_end "$status"
}
trap ends EXIT
full() { (($(running) >= nodes * gpus - 2 && $(waiting) >= 4)); }
wait_for 60 full
echo "full after $SECONDS s"
sleep $((term / 2))

since=$(date +%Y-%m-%dT%H:%M)
gang=$(submit -A left -N $((nodes / 2)) --ntasks-per-node=1 \
	--gres=gpu:$gpus --wrap 'exec sleep 6')
told() { [[ $(field "$gang" Promised) == 20* ]]; }
wait_for 20 told
promised=$(stamp "$(field "$gang" Promised)")
submitted=$(stamp "$(field "$gang" Submit)")
span=$((promised - submitted)) before=$(waiting -A left)
# A quota of 16 GPUs, a third of it for its user, and the grace, KillWait, a round.
least=$((2 * term + 24 * term / 16 + 5))
most=$((2 * term + (24 > before ? 72 : 24 + before) * term / 16 + 5 + 4 * patience))
check "promised within $span s, not $least to $most" \
	test "$span" -ge "$least" -a "$span" -le "$most"
why=$(sfair why "$gang" | tr '\n' ' ')
[[ $why == *"Its first start is promised within "* ||
	$why == *"its start is promised by "* ]] || fail "sfair why: $why"
when=$(sfair when "$gang" | tr '\n' ' ')
[[ $when =~ "Job $gang is expected to start "(at|by)" 20" ]] ||
	fail "sfair when: $when"
starts() { [[ $(squeue -h --start -j "$gang" -o %S) == 20* ]]; }
wait_for 20 starts
job_is "$gang" PENDING || fail "the gang found room at once"

begun() { [[ $(job_state "$gang") != PENDING ]]; }
wait_for "$span" begun
start=$(stamp "$(job_field "$gang" StartTime)")
echo "promised within $span s, began after $((start - submitted)) s"
check "it began $((start - promised)) s late" test "$start" -le "$promised"
ok gang

# ---- Nobody was late for it, and those content have their share.
kill $stream
wait $stream 2>/dev/null || :
rho=$(sfair tenant -nP -o Tenant,Rho | awk -F'|' '$1 == "content" { print $2 }')
check "content's rho is $rho" awk -v r="$rho" 'BEGIN { exit !(r > .7) }'
scancel -n small
nobody_left() { (($(waiting) + $(running) <= 4)); }
wait_for 30 nobody_left
check_eq "late first starts" 0 "$(metric _late)"
check "first starts: $(metric "")" test "$(metric "")" -ge 50
counted() {
	[[ $(sfair cluster Fairness -nP start="$since" end=now format=first,late |
		awk -F'|' '{ a += $1; b += $2 } END { print (a > 0), b + 0 }') == "1 0" ]]
}
wait_for 20 counted
ok on-time

# ---- Ten users of one account, one of whom floods it: 48 GPUs, 4.8 for each.
for _ in {1..72}; do
	as games -A left -J flood --gres=gpu:1 --wrap 'exec sleep 1000' >/dev/null
done
flooded() { (($(running -u games) >= nodes * gpus - 6)); }
wait_for 60 flooded
nine=(daemon bin sys man lp mail news backup irc)
for user in "${nine[@]}"; do
	for _ in 1 2 3 4 5; do
		as "$user" -A left --gres=gpu:1 --wrap 'exec sleep 1000' >/dev/null
	done
done
parted() { (($(running -u games) <= nodes * gpus / 5)); }
wait_for 60 parted
for ((i = 0; i < 2 * term; i++)); do
	squeue -h -t R -A left -o %u
	sleep 1
done >"$CLUSTER_DIR/parts"
for user in games "${nine[@]}"; do
	seconds=$(grep -cx "$user" "$CLUSTER_DIR/parts" || :)
	part=$((100 * seconds / $(wc -l <"$CLUSTER_DIR/parts")))
	echo "$user had $part % of the GPU time"
	[[ $user == games ]] || ((part >= 7)) || fail "$user is crowded out"
	[[ $user != games ]] || ((part <= 25)) || fail "the flood has most"
done
check_eq "late first starts in the flood" 0 "$(metric _late)"
ok flood
