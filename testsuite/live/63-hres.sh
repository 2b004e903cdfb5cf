#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Hierarchical resources (resources.yaml): while one is missing a job has Slurm's
# reason, no lease ends for it, and it is placed where there is some.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/meanings.sh
. "$(dirname "$0")/../lib/meanings.sh"
. "$(dirname "$0")/../lib/yaml.sh"

needs_yaml 2605 resources.yaml yaml "does not heed resources.yaml"

files=$(mktemp -d)
cat >"$files/astraea.conf" <<-EOT
	RoundInterval=1
	LeaseTerm=4
	CheckpointGrace=2
	Pool=gpu Partitions=gpu
	Tenant=a Accounts=a
	Tenant=b Accounts=b
EOT
cat >"$files/resources.yaml" <<-EOT
	---
	- resource: shared
	  mode: MODE_1
	  layers:
	  - nodes: ["n[1-2]"]
	    count: 2
	- resource: each
	  mode: MODE_1
	  layers:
	  - nodes: ["n1"]
	    count: 1
	  - nodes: ["n2"]
	    count: 1
EOT
sed -i 's/^\t//' "$files/resources.yaml"
start_cluster --needs minage=300 --nodes 2 --gpus 4 \
	--astraea "$files/astraea.conf" --file "$files/resources.yaml"
rm -r "$files"

refusals() {
	sfair diag --json | python3 -c '
import json, sys
print(sum(p["refused"] for p in json.load(sys.stdin)["pools"]))'
}
later() { (($(date +%s) > $1)); }
on_failure() { squeue -o '%i %a %T %N %r'; scontrol show licenses; }

# ---- It is missing everywhere.
holder=$(sleeper -A a --no-requeue --gpus=1 -L shared:2)
runs "$holder"
leased=()
for _ in 1 2 3 4 5 6 7; do leased+=("$(sleeper -A a --gpus=1)"); done
for id in "${leased[@]}"; do runs "$id"; done
wants=$(sleeper -A b --gpus=2 -L shared:1)
says "$wants" Licenses
wait_for 30 later $(($(date +%s) + 10))
says "$wants" Licenses
for id in "${leased[@]}"; do
	check_eq "restarts of $id" 0 "$(job_field "$id" Restarts)"
done
check_eq "refused starts" 0 "$(refusals)"
ok hres-that-is-missing-is-the-reason
scancel "$holder"
runs "$wants"
ok hres-that-is-back-lets-it-start
cancel_all

# ---- It is missing on one node.
first=$(sleeper -A a --no-requeue --gpus=1 -w n1 -L each:1)
runs "$first"
second=$(sleeper -A b --gpus=1 -L each:1)
runs "$second"
check_eq "where there is some" n2 "$(job_field "$second" NodeList)"
check_eq "refused starts" 0 "$(refusals)"
ok hres-of-a-node
check_eq "errors of ours in the log" '' "$(errors_of_ours)"
