#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Within an account its users have parts by the fairshare of their associations, where
# sacctmgr has it.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=10 CheckpointGrace=2 RecallAfter=4" \
	>"$conf"
start_cluster --accounting --nodes 1 --gpus 8 --cpus 32 --astraea "$conf"
rm "$conf"
sacctmgr -i -Q add account lab >/dev/null
for u in root games; do
	sacctmgr -i -Q add user $u account=lab >/dev/null
done

# parts SECONDS: GPU seconds of root and of games from now on, as squeue sees them.
parts() {
	local root=0 games=0 end=$((SECONDS + $1))
	while ((SECONDS < end)); do
		root=$((root + $(gpus_of root))) games=$((games + $(gpus_of games)))
		sleep 1
	done
	echo "root $root, games $games GPU seconds"
	total=$((root + games)) part=$((100 * games / (root + games + !total)))
}
as_games() {
	as_other sbatch --parsable -A lab -o /dev/null --chdir=/ "$@"
}
between() { ((part >= $1 && part <= $2)) || fail "$3: games has $part %"; }

submit -A lab --gres=gpu:8 --wrap 'exec sleep 1000' >/dev/null
for _ in 1 2 3 4 5 6 7 8; do
	as_games --gres=gpu:1 --wrap 'exec sleep 1000' >/dev/null
done
sacctmgr -i -Q modify user games account=lab set fairshare=3 >/dev/null
sleep 15
parts 60
between 55 92 "three shares of four"
ok shares
