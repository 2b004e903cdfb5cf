#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OGASched's reward a slot beside that of its paper's baselines (Zhao et al., section 4):
# Fig. 2, and Fig. 4's rates of learning. Prints a table and a verdict for each, and ends
# with 1 where one is not reproduced.
#
# usage: testsuite/papers/ogasched.sh [--short] [--out=FOLDER]
#   --short  Fig. 2 with one seed
#   --out    each table as CSV and as SVG, too
#
# As printed: 10 ports, 128 nodes, 6 types, 8,000 slots, a job at a port with probability
# 0.7, beta 0.4 to 0.6. Ours: requests and capacities (ogas_instance.h), twice the requests,
# seeds 11 and 12. The columns are those of testsuite/bench/bench_ogas_reward.c.

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$0")/lib.sh"
build=$(dirname "$sim")
make -s -C "$build" bench_ogas_reward >/dev/null
seeds=2
[[ ! $short ]] || seeds=1

# rewards TABLE: LABEL OGA REACTIVE THEORY BOTH POOL FIXED DRF FAIRNESS BINPACKING SPREADING
rewards() {
	"$build/bench_ogas_reward" $seeds "$1" | sed -n '/^| [0-9]/s/[|,]//gp'
}

# gain COLUMN OTHER: percent, in the first row.
gain() { awk -v a="$1" -v b="$2" 'NR == 1 { printf "%.1f", 100 * ($a / $b - 1) }' rows; }

rewards 'Figure 2: ports a node' >rows
for way in 3:reactive 5:both 6:pool; do
	echo "${way#*:}" "$(for other in 8 9 10 11; do gain "${way%:*}" $other; echo; done |
		xargs)"
done >gains
echo printed 11.3 7.8 13.9 13.4 >>gains
table ogasched-2 'OGASched, Fig. 2, percent over' learner DRF FAIRNESS BINPACKING SPREADING \
	<gains
verdict "reactive $(gain 3 8) % over DRF, $(gain 3 9) % over FAIRNESS" \
	"$(gain 3 8) > 8 && $(gain 3 9) > 5"
verdict "what a pool does is better than printed" \
	"$(gain 6 8) > 11.3 && $(gain 6 9) > 7.8 && $(gain 6 10) > 13.9 && $(gain 6 11) > 13.4"
[[ ! $short ]] || exit "$failed"

for figure in eta decay; do
	rewards "Figure 4: $figure" >rows
	awk '{ print $1, $2, $5, $9 }' rows |
		table "ogasched-$figure" 'OGASched, Fig. 4, reward' "$figure" oga both FAIRNESS
	verdict "whatever $figure is, both earns the same, and more than FAIRNESS" \
		"$(at rows 1 5) == $(at rows 3 5) && $(at rows 1 5) > $(at rows 1 9)"
done
exit "$failed"
