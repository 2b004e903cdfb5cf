#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same as 68-as-stock, and on the same nodes, beside reservations that are
# magnetic, FLEX, or others': 68-as-stock-reserved.table.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

as_stock "${1-${0%.sh}.table}" --needs weight=no --where --gpus 4 --cpus 8 \
	--memory 16000
no_start_was_refused
