#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which nodes a leased job runs on: everything that sbatch can say about them
# means what it means under stock Slurm. One line "ok NAME" for each meaning.
# Patterns are meant; live.sh sets live_lib.
# shellcheck disable=SC2053,SC2154
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=300 CheckpointGrace=5" \
	>"$conf"
start_cluster --needs "select=CR_Core_Memory weight=no" --nodes 4 --gpus 4 --cpus 16 --astraea "$conf" \
	--node 'n1 Feature=red,fast' --node 'n2 Feature=red' \
	--node 'n3 Feature=blue' --node 'n4 Feature=blue,fast'
rm -f "$conf"
chmod 755 "$CLUSTER_DIR/run"

clean() {
	[[ -z $(squeue -h) ]] && ! scontrol show node | grep >/dev/null COMPLETING
}
cancel_all() {
	scancel -u root
	scancel -u games
	wait_for 30 clean
}
runs() { wait_for 20 job_is "$1" RUNNING; }
sleeper() { submit "$@" --wrap 'sleep 300'; }
others() {
	as_other \
		sbatch --parsable -o /dev/null --chdir=/ "$@" --wrap 'sleep 300'
}
says() { [[ $(job_reason "$1") == $2 ]]; }

# on PATTERN SBATCH_ARGUMENT...: it runs on such nodes; its id is in $last.
on() {
	local want=$1
	shift
	last=$(submit "$@" --wrap 'echo $SLURM_JOB_NODELIST; sleep 300')
	runs "$last"
	[[ $(job_field "$last" NodeList) == $want ]] ||
		fail "nodes of $*: '$(job_field "$last" NodeList)', not $want"
}
# waits SBATCH_ARGUMENT...: there is no place for it now.
waits() {
	last=$(sleeper "$@")
	wait_for 20 says "$last" 'Lease: *[rng]*'
	sleep 1
	check_eq "state of $*" PENDING "$(job_state "$last")"
}

# ---- Named nodes.

on n3 --gres=gpu:1 --nodelist=n3
written() { [[ $(job_log "$last") == n3 ]]; }
wait_for 20 written
ok nodelist
on 'n\[3-4]' -N2 --gres=gpu:1 --nodelist=n[3-4]
ok nodelist-of-two
on 'n\[2-3]' -N2 --gres=gpu:1 --nodelist=n3 --exclude=n1,n4
ok nodelist-and-more-nodes
on n4 --gres=gpu:1 --exclude=n[1-3]
ok exclude
waits --gres=gpu:4 --nodelist=n3
ok nodelist-waits-for-its-node
cancel_all
on 'n\[3-4]' -N2 --gpus=5 --nodelist=n3 --exclude=n1,n2
on 'n\[1-2]' -N2 --gres=gpu:1 --nodelist=n2 --exclude=n4
cancel_all
# Named nodes are not the only ones: what they lack room for is elsewhere.
on 'n\[1,3]' --gpus=5 --nodelist=n3
on n4 --gpus=4 --nodelist=n4
cancel_all
on 'n\[1,3]' -n20 --gpus=2 --nodelist=n3
cancel_all
on 'n\[1,3]' --gpus=2 --mem-per-gpu=40000 --nodelist=n3
cancel_all
on 'n\[1-3]' --gpus=9 --nodelist=n[1-2]
cancel_all
ok nodelist-and-what-it-lacks-elsewhere

# ---- Features.

on 'n[12]' --gres=gpu:1 -C red
ok constraint
on n4 --gres=gpu:1 -C 'blue&fast'
ok constraint-and
on 'n[34]' --gres=gpu:1 -C '(red&fast)|blue' -x n1
ok constraint-or
on 'n\[1-4]' -N4 --gres=gpu:1 -C 'red|blue'
ok constraint-or-on-nodes-of-both
on 'n\[@(1-2|3-4)]' -N2 --gres=gpu:1 -C '[red|blue]'
ok constraint-xor
cancel_all
busy=$(sleeper --gres=gpu:3 --nodelist=n1)
runs "$busy"
on 'n\[3-4]' -N2 --gres=gpu:2 -C '[red|blue]'
ok constraint-xor-where-there-is-room
on 'n[12]' --gres=gpu:1 -C 'red' --exclude=n4
cancel_all
on 'n\[@([12],[34]|2-3)]' -N2 --gres=gpu:1 -C '[red*1&blue*1]'
ok constraint-counts
on '@(n\[1-3]|n\[1-2,4])' -N3 --gres=gpu:1 -C '[red*2&blue*1]'
ok constraint-counts-of-nodes
cancel_all
on 'n[34]' --gres=gpu:3 --prefer=blue
on 'n[34]' --gres=gpu:3 --prefer=blue
on 'n[12]' --gres=gpu:3 --prefer=blue
ok prefer
if submit --gres=gpu:1 -C green --wrap true 2>/dev/null; then
	fail "an unknown feature was accepted"
fi
ok constraint-unknown-is-refused
cancel_all

# ---- How many nodes.

on 'n*' -N2-3 --gpus=4
check_eq "nodes of -N2-3" 2 "$(job_field "$last" NumNodes)"
ok nodes-min-max
cancel_all
on 'n*' -N1-2 --gpus=6
check_eq "nodes of -N1-2" 2 "$(job_field "$last" NumNodes)"
on 'n\[3-4]' -N2 --gres=gpu:1 -w n[3-4]
waits -N1-2 --gpus=7
ok nodes-max-is-kept
cancel_all
on 'n?' --use-min-nodes -N1-4 --gpus=4
ok use-min-nodes
cancel_all
on 'n*' -n6 --ntasks-per-node=2 --gpus-per-node=2
check_eq "nodes of six tasks, two on each" 3 "$(job_field "$last" NumNodes)"
ok ntasks-per-node
cancel_all
on 'n*' -n4 --ntasks-per-node=2 --gpus=4
check_eq "nodes of four tasks, two on each" 2 "$(job_field "$last" NumNodes)"
ok ntasks-per-node-with-gpus
cancel_all
busy=$(sleeper --gres=gpu:4 --nodelist=n2)
runs "$busy"
on 'n\[3-4]' -N2 --gres=gpu:4 --contiguous
ok contiguous
waits -N2 --gres=gpu:3 --contiguous
ok contiguous-waits
scancel "$busy"
runs "$last"
ok contiguous-starts-when-there-is-room
cancel_all

# ---- Alone or with others.

on n1 --gres=gpu:1 --exclusive --nodelist=n1
check_eq "CPUs of an exclusive job" 16 "$(job_field "$last" NumCPUs)"
waits --gres=gpu:1 --nodelist=n1
scancel "$last"
busy=$(sleeper --gres=gpu:1 --nodelist=n2)
runs "$busy"
waits --gres=gpu:1 --exclusive --nodelist=n2
scancel "$busy"
runs "$last"
ok exclusive
cancel_all
mine=$(sleeper --gres=gpu:1 --exclusive=user --nodelist=n1)
runs "$mine"
on n1 --gres=gpu:1 --nodelist=n1
other=$(others --gres=gpu:1 --nodelist=n1)
elsewhere=$(others --gres=gpu:1)
runs "$elsewhere"
check "another user's job is on an --exclusive=user node" \
	test "$(job_field "$elsewhere" NodeList)" != n1
sleep 2
check_eq "another user's job there" PENDING "$(job_state "$other")"
scancel "$mine" "$last"
runs "$other"
ok exclusive-user
cancel_all
on n1 --gres=gpu:1 --oversubscribe --nodelist=n1
on n1 --gres=gpu:3 --oversubscribe --nodelist=n1
waits --gres=gpu:1 --oversubscribe --nodelist=n1
ok oversubscribe
cancel_all
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
