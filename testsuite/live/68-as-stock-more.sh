#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# As 68-as-stock, with some 150 requests more.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

as_stock "${1-${0%.sh}.table}" --needs 'weight=no cores=no' \
	--gpus 4 --cpus 8 --memory 16000
