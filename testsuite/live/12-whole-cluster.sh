#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job as large as the cluster does not starve: among endless small ones, whose
# leases end at different times, it starts within two terms of its submission;
# the GPUs that are kept for it are lent meanwhile.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

term=16
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=$term CheckpointGrace=2
	Tenant=many Accounts=many
	Tenant=one Accounts=one
EOT
start_cluster --nodes 2 --gpus 8 --astraea "$conf"
rm -f "$conf"

# More small jobs than GPUs. They start in four batches, a quarter of a term
# apart, so that the cluster is full and leases end at different times. Each
# says when it begins and how it fared.
small() {
	local i
	for ((i = 0; i < $1; i++)); do
		submit -A many --gres=gpu:$((1 + i % 2)) --open-mode=append \
			--wrap 'date +%s.%N; exec sleep 1000' >/dev/null
	done
}
for _ in 1 2 3 4; do
	small 3
	sleep $((term / 4))
done
small 6
gpus_in_use() {
	sfair tenant -nP -o GPUs | awk '{ n += $1 } END { print n + 0 }'
}
full() { (($(gpus_in_use) >= 15)); }
wait_for 20 full
sleep 2
ends=$(sfair lease -nP -o LeaseEnd | sort -u | wc -l)
check "leases end at $ends different times" test "$ends" -ge 3

export OUT=$CLUSTER_DIR/out
whole=$(submit -A one -N2 --gres=gpu:8 \
	--wrap 'until [ -e $OUT/go ]; do sleep 0.2; done')
on_hold() { sfair why "$whole" 2>/dev/null | grep >/dev/null .; }
wait_for 20 on_hold
sfair why "$whole"

# GPUs in use, once a second, until it starts.
lent=0 looks=0
until job_is "$whole" RUNNING; do
	looks=$((looks + 1))
	(($(gpus_in_use) < 12)) || lent=$((lent + 1))
	((SECONDS < 200)) || fail "the whole cluster is not given to it"
	sleep 1
done
at() { date -d "$(job_field "$whole" "$1")" +%s; }
waited=$(($(at StartTime) - $(at SubmitTime)))
echo "started after $waited s; GPUs were in use at $lent of $looks looks"
check "it started after $waited s, two terms are $((2 * term)) s" \
	test "$waited" -lt $((2 * term))
# It is not by emptying the cluster: but for the end, GPUs were in use.
check "GPUs were idle while it waited" test $((4 * lent)) -ge $((3 * (looks - 3)))

check_eq "its GPUs" "n[1-2]" "$(job_field "$whole" NodeList)"
check_eq "small jobs beside it" 0 \
	"$(squeue -h -t R -A many -o %i | wc -l)"
touch "$OUT/go"
wait_for 30 job_is "$whole" COMPLETED
check_eq "times it was taken back" 0 "$(job_field "$whole" Restarts)"
# The small jobs go on at once, and none was lost.
wait_for 20 full
check_eq "small jobs" 18 "$(squeue -h -A many -o %i | wc -l)"
