#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs said --lease while Slurm was stock, which lets any pass. When the plugins
# come, a pool that allows it heeds it. Another one says that it does not.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/stock-and-ours.sh
. "$(dirname "$0")/../lib/stock-and-ours.sh"

options=$(mktemp)
cat >"$options" <<EOT
RoundInterval=1
LeaseTerm=60
CheckpointGrace=2
Pool=gpu Partitions=gpu AllowNoLease=yes LeaseMax=120
Pool=other Partitions=other
EOT
start_cluster --nodes 2 --gpus 4 --astraea "$options" \
	--slurm 'PartitionName=gpu Nodes=n1 Default=YES State=UP' \
	--slurm 'PartitionName=other Nodes=n2 State=UP'
rm "$options"
stock_and_ours
change stock TERM
first=()
for p in gpu other; do
	first+=("$(submit -p $p --gres=gpu:4 --wrap 'sleep 600')")
	wait_for 30 job_is "${first[-1]}" RUNNING
done
stays=$(submit --lease=none --gres=gpu:2 --wrap 'sleep 600')
long=$(submit --lease=2 --gres=gpu:2 --wrap 'sleep 600')
plain=$(submit -p other --lease=none --gres=gpu:2 --wrap 'sleep 600')
bounded=$(submit -p other --lease=2 --gres=gpu:2 --wrap 'sleep 600')
change ours TERM
scancel "${first[@]}"
for id in "$stays" "$long" "$plain" "$bounded"; do
	wait_for 60 job_is "$id" RUNNING
done

lease() { # whether it may end, its term, what sfair says of it
	sfair lease -nP -j "$1" -o revocable,term,advice
}
on_failure() { for id in "$stays" "$long" "$plain" "$bounded"; do lease "$id"; done; }
leases() { [[ $(lease "$1") == "$2" ]]; }
wait_for 20 leases "$stays" 'no|1:00|'
wait_for 20 leases "$long" 'yes|2:00|'
wait_for 20 leases "$plain" "yes|1:00|--lease=none is not allowed here\
 (AllowNoLease), so they end as others do"
wait_for 20 leases "$bounded" "yes|1:00|--lease is not within LeaseMin and\
 LeaseMax, so they have the pool's term"
why() { sfair why "$1" | xargs -d '\n'; }
check "sfair why: $(why "$stays")" \
	grep -qF 'never taken back (--lease=none)' <<<"$(why "$stays")"
check "sfair why: $(why "$plain")" grep -qF \
	'Its leases: --lease=none is not allowed here' <<<"$(why "$plain")"
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
