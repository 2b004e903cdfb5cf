#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A request gets as many nodes, GPUs and CPUs as stock Slurm would give it, or
# waits or is refused as there: each line of 68-as-stock.table is put to a stock
# cluster and to ours, side by side.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

as_stock "${1-${0%.sh}.table}" --gpus 4 --cpus 8 --memory 16000
