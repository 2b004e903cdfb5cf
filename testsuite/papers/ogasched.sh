#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# OGASched's reward a slot beside the reward of its paper's baselines (Zhao et al., section 4):
# Fig. 2, Fig. 4's learning rates, Table III and Fig. 5. Figs. 3, 6 and 7 are not here.
#
# usage: testsuite/papers/ogasched.sh [--short] [--out=FOLDER]
#   --short  Fig. 2 with one seed
#   --out    each table as CSV and SVG, and all as a page
#
# As printed: 10 ports, 128 nodes, 6 types, 2,000 slots, a job at a port with probability
# 0.7, beta 0.3 to 0.5.
# - Figs. 2 and 4: 8,000 slots, beta 0.4 to 0.6
# - Table III: 2, 2.5 or 3 ports may use a node
# - Fig. 5: 100 ports, 1,024 nodes, beta 0.01 to 0.015
# - the printed gains are those of Fig. 2
# Ours:
# - requests and capacities (ogas_instance.h), twice the requests; seeds 11 and 12
# - Figs. 2, 4 and the arrivals of Table III: 2 ports may use a node
# - Table III: beta and slots as above, requests times 2 to 5, the probabilities of a job
# - unlike units: up to 128 CPUs, 512 GiB, 64 GPUs, 8 TPUs, 8 NPUs and 4 FPGAs a node
# - Fig. 5: 1,000 slots, one seed, 2 or 20 ports may use a node
# Learners:
# - oga: the reward of a slot is that of the choice made before the slot's jobs came
# - reactive: the reward of a slot is that of the choice learned from the slot's jobs
# - both: reactive, with a rate that does not depend on eta and decay
# - pool: both, with LentSteps=5, as a pool by default

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$(realpath "$0")")/lib.sh" || exit 2
build=$(dirname "$sim")
make -s -C "$build" bench_ogas_reward >/dev/null
seeds=2
[[ ! $short ]] || seeds=1

# rewards TABLE: LABEL OGA REACTIVE THEORY BOTH POOL FIXED DRF FAIRNESS BINPACKING SPREADING
rewards() {
	"$build/bench_ogas_reward" $seeds "$1" | sed -n '/^| [0-9]/s/[|,]//gp'
}

# gain COLUMN OTHER [ROW]: percent, in that row or the first one.
gain() {
	awk -v a="$1" -v b="$2" -v row="${3:-1}" \
		'NR == row { printf "%.1f", 100 * ($a / $b - 1) }' rows
}

# ahead COLUMN [PERCENT...]: in how many of the rows it is ahead of all baselines, by more
# than so many percent.
ahead() {
	awk -v a="$1" -v least="${*:2}" '
		BEGIN { split(least, percent, " ") }
		{ yes = 1
		  for (i = 1; i <= 4; i++) yes = yes && $a > $(7 + i) * (1 + percent[i] / 100)
		  count += yes }
		END { print count + 0 }' rows
}

# shown NAME TITLE FIRST: the table of the file rows.
shown() {
	awk '{ print $1, $3, $6, $8, $9, $10, $11 }' rows |
		table "ogasched-$1" "OGASched, $2, reward" "$3" reactive pool DRF FAIRNESS \
			BINPACKING SPREADING
}

rewards 'Figure 2: ports a node' >rows
for way in 2:oga 3:reactive 5:both 6:pool; do
	echo "${way#*:}" "$(for other in 8 9 10 11; do gain "${way%:*}" $other; echo; done |
		xargs)"
done >gains
echo printed 11.3 7.8 13.9 13.4 >>gains
table ogasched-2 'OGASched, Fig. 2, percent over' learner DRF FAIRNESS BINPACKING SPREADING \
	<gains
verdict "reactive $(gain 3 8) % over DRF, $(gain 3 9) % over FAIRNESS" \
	"$(gain 3 8) > 8 && $(gain 3 9) > 5"
better "what a pool does" \
	"$(gain 6 8) > 11.3 && $(gain 6 9) > 7.8 && $(gain 6 10) > 13.9 && $(gain 6 11) > 13.4"
[[ ! $short ]] || exit "$failed"
shown densities "Table III's densities with Fig. 2's beta" 'ports a node'
verdict "with these reactive is ahead of all four in $(ahead 3) of 3 rows" "$(ahead 3) == 3"

for figure in eta decay; do
	rewards "Figure 4: $figure" >rows
	awk '{ print $1, $2, $3, $5, $9 }' rows |
		table "ogasched-$figure" 'OGASched, Fig. 4, reward' "$figure" oga reactive \
			both FAIRNESS
done

rewards 'Table III: ports a node, requests' >rows
shown requests 'Table III' 'ports a node/requests'
verdict "Table III: reactive is ahead of all four in $(ahead 3) of 12 rows" "$(ahead 3) == 12"
better "Table III: what a pool does, in $(ahead 6 11.3 7.8 13.9 13.4) of 12 rows" \
	"$(ahead 6 11.3 7.8 13.9 13.4) == 12"
differs "Table III: oga is ahead of all four in $(ahead 2) of 12 rows, as it keeps a share \
for ports without a job" "$(ahead 2) < 12"

rewards 'Table III: jobs arrive' >rows
shown arrivals 'Table III, arrivals' probability
differs "Table III's rows of the probability of a job are in no order; reactive earns \
$(awk '{ print $3 }' rows | xargs)" \
	"$(awk '$3 < last { bad = 1 } { last = $3 } END { print !bad }' rows)"

rewards 'Table III: unlike units' >rows
shown units 'unlike units' 'ports a node'
verdict "unlike units: reactive is ahead of all four in $(ahead 3) of 3 rows" "$(ahead 3) == 3"
differs "unlike units: reactive is ahead of DRF by $(gain 3 8) % (11.3 %), as the largest unit \
decides the penalty" "$(gain 3 8) > 20"

# behind ROW: what the gains are in a row of Fig. 5.
behind() {
	echo "$(at rows "$1" 1) ports a node: reactive is ahead of the four by" \
		"$(for other in 8 9 10 11; do gain 3 $other "$1"; echo; done | xargs) %," \
		"a pool is ahead of FAIRNESS by $(gain 6 9 "$1") %"
}
seeds=1
rewards 'Figure 5: ports a node' >rows
shown 5 'Fig. 5' 'ports a node'
differs "Fig. 5, $(behind 1). With so small a beta it is nearly best to give away all: with \
Fig. 2's beta reactive is ahead of FAIRNESS by $(gain 3 9 3) %" "$(gain 3 9 1) < 0"
differs "Fig. 5, $(behind 2)" "$(gain 3 9 2) < 0"
exit "$failed"
