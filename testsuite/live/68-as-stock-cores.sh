#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same as 68-as-stock on nodes of 8 GPUs, whose halves have cores of their own
# (Cores= of gres.conf), as with AutoDetect: 68-as-stock-cores.table.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

as_stock "${1-${0%.sh}.table}" --needs cores=yes --gpus 8 --cpus 16 --memory 32000
