#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same as 68-as-stock, and on the same nodes, where nodes have a Weight:
# 68-as-stock-weights.table.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

weights=()
for ((i = 1; i <= 12; i += 3)); do
	weights+=(--node "n$i Weight=300" --node "n$((i + 1)) Weight=20")
	weights+=(--node "n$((i + 2)) Weight=100")
done
as_stock "${1-${0%.sh}.table}" --needs weight=no --where --gpus 4 --cpus 8 \
	--memory 16000 "${weights[@]}"
no_start_was_refused
