#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same as 68-as-stock, and on the same nodes, where nodes are one user's alone:
# ExclusiveUser=YES of a partition and --exclusive=user. 68-as-stock-users.table.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

as_stock "${1-${0%.sh}.table}" --needs weight=no --where --gpus 4 --cpus 8 \
	--memory 16000
no_start_was_refused
