#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# ASTRAEA's evaluation (Ye et al.): sharing losses of jobs (Eq. 15) and tenants (Eq. 12)
# under LTGF and under other policies, and what the lease term changes.
#
# usage: testsuite/papers/astraea.sh [--short] [--out=FOLDER]
#   --short  the first table only, of 3,000 jobs that are made up and four policies
#   --out    each table as CSV and SVG, and all as a page
#
# As printed: leases of 15 minutes, a checkpoint of 10 s, a start of 40 s.
# Ours:
# - themis has leases of 10 minutes, its default
# - jobs: two weeks of Venus from ../shared, with the tenants' quotas as weights; if there is
#   no ../shared, jobs made up like those of Venus
# - 75 and 100 nodes of 8 GPUs, load 1 and 0.77
# - the GPU time that is due to a tenant follows Eq. 8, our default, and not Eq. 16

# shellcheck source=testsuite/papers/lib.sh
. "$(dirname "$(realpath "$0")")/lib.sh" || exit 2
jobs=(--generate=venus)
if [[ $short ]]; then
	jobs+=(--jobs=3000)
elif [[ $traces_dir ]]; then
	jobs=(--trace="$traces_dir/venus_2weeks_2020-08-23.csv"
		--weights="$traces_dir/venus_vc_quota_gpus.csv")
fi

# losses NODES POLICIES: a line for each policy: job loss and tenant loss in percent, and
# the mean completion time in seconds.
losses() {
	"$sim" compare -q -p "$2" "${jobs[@]}" --nodes="$1" --csv=table.csv >/dev/null
	columns job_loss tenant_loss jct_mean_sec <table.csv |
		awk '{ print $1, 100 * $2, 100 * $3, $4 }'
}
rounded() { awk '{ printf "%s %.1f %.1f %.0f\n", $1, $2, $3, $4 }' "$1"; }

# least COLUMN: the policy that has the least there, of the file rows.
least() { sort -g -k "$1,$1" rows | at /dev/stdin 1 1; }
job_loss() { rounded rows | of "$1" /dev/stdin | at /dev/stdin 1 2; }

echo "jobs: ${jobs[0]##*[/=]}"
policies=ltgf,gandiva-fair,tiresias,yarn-cs
[[ $short ]] || policies+=,allox,themis,hived
for nodes in 75 100; do
	losses "$nodes" "$policies" >rows
	table "astraea-$nodes" "ASTRAEA, $nodes nodes" policy 'job loss (%)' 'tenant loss (%)' \
		'mean completion (s)' < <(rounded rows)
	verdict "ltgf's job loss is $(job_loss ltgf) % (7.1 %), $(least 2)'s the least" \
		"\"$(least 2)\" == \"ltgf\" && $(job_loss ltgf) <= 7.1"
	verdict "yarn-cs' job loss is $(job_loss yarn-cs) % (73.6 %)" \
		"$(job_loss yarn-cs) > 50"
	verdict "$(least 3)'s tenant loss is the least" "\"$(least 3)\" == \"ltgf\""
	[[ $(least 4) == ltgf ]] || differs "$(least 4) has the shortest mean completion time" 1
	[[ ! $short ]] || exit "$failed"
done

"$sim" tune -q -p ltgf "${jobs[@]}" --nodes=75 --terms=5:00,10:00,15:00,30:00,1:00:00 \
	--csv=table.csv >/dev/null
columns lost_share job_loss tenant_loss <table.csv |
	awk '{ printf "%s %.1f %.1f %.1f\n", $1, 100 * $2, 100 * $3, 100 * $4 }' >terms
table astraea-terms 'ASTRAEA, the lease term, 75 nodes' term 'GPU time lost (%)' \
	'job loss (%)' 'tenant loss (%)' <terms
verdict "a longer term loses less to leases" "$(at terms 5 2) < $(at terms 1 2) / 2"
verdict "with an hour job loss is larger than with 15 minutes" \
	"$(at terms 5 3) > $(at terms 3 3)"
verdict "with an hour tenant loss is larger than with 5 minutes" \
	"$(at terms 5 4) > $(at terms 1 4)"

# adaptive NAME OPTION...: a row for 15 minutes and one for LeaseTerm=auto.
adaptive() {
	local term
	for term in 15:00 auto; do
		"$sim" compare -q -p ltgf "${jobs[@]}" --nodes=75 --set="LeaseTerm=$term" \
			--csv="$1.csv" "${@:2}" >/dev/null
		columns job_loss jct_mean_sec <"$1.csv" |
			awk -v term="$term" '{ printf "%s %.1f %.0f\n", term, 100 * $2, $3 }'
	done >"$1"
}
adaptive cheap &
adaptive dear --checkpoint=60 --cold-start=240
wait $!
join cheap dear >adaptive
table astraea-adaptive 'ASTRAEA, the adaptive term, 75 nodes' term 'job loss (%)' \
	'mean completion (s)' 'an interruption costs 5 minutes: job loss (%)' \
	'mean completion (s)' <adaptive
holds "if an interruption costs 5 minutes, jobs are done sooner with the adaptive term" \
	"$(at adaptive 2 5) < 0.95 * $(at adaptive 1 5)"
holds "if an interruption costs 50 s, its job loss is within half a point of the default term's" \
	"$(at adaptive 2 2) < $(at adaptive 1 2) + 0.5"
exit "$failed"
