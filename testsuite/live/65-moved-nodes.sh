#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A node belongs to one pool. Pools whose partitions share nodes are refused; where
# scontrol makes partitions so, the node stays the first pool's, and an admin is told.
# A job on a node that leaves its pool is charged until it leaves it at its lease's
# end. One line "ok NAME" each.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<'EOT'
RoundInterval=1
LeaseTerm=20
CheckpointGrace=2
Pool=a Partitions=gpu
Pool=b Partitions=b
EOT
start_cluster --nodes 3 --gpus 2 --cpus 8 --astraea "$conf" \
	--slurm 'PartitionName=gpu Nodes=n[1-2] Default=YES State=UP' \
	--slurm 'PartitionName=b Nodes=n3 State=UP'
etc=$CLUSTER_DIR/etc/astraea.conf
rm -f "$conf"
shared='pools a and b both have node n'

endless() { submit --signal=B:USR1 --open-mode=append "$@" \
	--wrap 'trap "exit 85" USR1; sleep 100000 & wait'; }
# Those that a pool leases, and those that jobs leave.
nodes_of() {
	sfair record --pool="$1" | python3 -c '
import json, sys
for node in json.load(sys.stdin)["snapshot"]["nodes"]:
    print(node["name"] + ("" if node.get("usable") else ":left"))'
}
have() { [[ $(nodes_of "$1" | xargs) == "$2" ]]; }
told() { sfair diag | grep >/dev/null -F "$shared$1"; }
untold() { ! told "$1"; }

# ---- In the files.

cp "$etc" "$etc.good"
cp "$SLURM_CONF" "$SLURM_CONF.good"
sed -i 's/PartitionName=b Nodes=n3/PartitionName=b Nodes=n[2-3]/' "$SLURM_CONF"
text=$(sfair check 2>&1) && fail "accepted: $text"
grep >/dev/null -F "${shared}2: " <<<"$text" || fail "sfair check: $text"
sed -i 's/PartitionName=b Nodes=n.2-3./PartitionName=b Nodes=ALL/' "$SLURM_CONF"
text=$(sfair check 2>&1) && fail "accepted: $text"
grep >/dev/null -F "$shared" <<<"$text" || fail "sfair check: $text"
cp "$SLURM_CONF.good" "$SLURM_CONF"
sfair check >/dev/null || fail "sfair check: $(sfair check 2>&1)"
ok sfair-check-refuses-them

# ---- By scontrol, while jobs run.

filler=$(endless --gres=gpu:2 -w n1)
wait_for 30 job_is "$filler" RUNNING
first=$(endless --gres=gpu:2)
wait_for 30 job_is "$first" RUNNING
scancel "$filler"
second=$(endless -p b --gres=gpu:1)
wait_for 30 job_is "$second" RUNNING
scontrol update PartitionName=b Nodes=n[2-3]
wait_for 20 told 2
wait_for 20 have a 'n1 n2'
wait_for 20 have b n3
third=$(endless -p b --gres=gpu:1)
wait_for 30 job_is "$third" RUNNING
check_eq "node of pool b's job" n3 "$(job_field "$third" NodeList)"
sed 's/LeaseTerm=20/LeaseTerm=21/' "$etc.good" >"$etc"
sed -i 's/PartitionName=b Nodes=n3/PartitionName=b Nodes=n[2-3]/' "$SLURM_CONF"
scontrol reconfigure
# A later Slurm begins anew then, and does not know its partitions when it reads them.
if (($(slurm_release) < 2311)); then
	wait_for 30 ctld_log "${shared}2: .*the old values stay"
fi
wait_for 30 told 2
cp "$etc.good" "$etc"
cp "$SLURM_CONF.good" "$SLURM_CONF"
scontrol reconfigure
wait_for 20 untold 2
ok it-stays-the-first-pool-s

# ---- A node leaves, and its job with it.

charged() { sfair tenant -nP -t Seconds --pool=a -o Alloc; }
restarted() { (($(job_field "$first" Restarts) > restarts)); }
wait_for 60 job_is "$first" RUNNING
restarts=$(job_field "$first" Restarts)
check_eq "node of pool a's job" n2 "$(job_field "$first" NodeList)"
scontrol update PartitionName=gpu Nodes=n1
wait_for 20 have a 'n1 n2:left'
before=$(charged)
more() { awk -v a="$before" -v b="$(charged)" 'BEGIN { exit !(b > a + 4) }'; }
wait_for 20 more
ok a-job-there-is-charged
wait_for 60 restarted
wait_for 60 job_is "$first" RUNNING
check_eq "its node after that" n1 "$(job_field "$first" NodeList)"
wait_for 20 have a n1
ok it-leaves-at-its-lease-s-end
check_eq "errors of ours" '' "$(errors_of_ours | grep -vF "$shared" || :)"
