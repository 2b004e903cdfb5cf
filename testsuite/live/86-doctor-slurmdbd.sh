#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair doctor says that slurmdbd is down, and what to do; it is well once slurmdbd
# answers again.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
echo "Pool=gpu Partitions=gpu" >"$conf"
start_cluster --accounting --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
answers() { sfair diag >/dev/null 2>&1; }
doctor() { sfair doctor 2>&1 | tr -s ' \n' '  '; }
well() { [[ $(doctor) != *slurmdbd* ]]; }
down() { [[ $(doctor) == *"error sacctmgr got no answer from slurmdbd on "*"sfair: error: "* ]]; }
wait_for 30 answers
wait_for 30 well
# shellcheck disable=SC2154 # of live.sh
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmdbd
wait_for 30 down
{ sfair doctor 2>&1 || :; } | grep -A4 slurmdbd
"$live_lib/cluster" start "$CLUSTER_DIR" slurmdbd
wait_for 60 well
ok slurmdbd
