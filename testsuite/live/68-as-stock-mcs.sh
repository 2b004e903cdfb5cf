#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The same as 68-as-stock where nodes belong to one MCS label at a time:
# 68-as-stock-mcs.table.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/as-stock.sh
. "$live_lib/as-stock.sh"

as_stock "${1-${0%.sh}.table}" --gpus 4 --cpus 8 --memory 16000 \
	--slurm MCSPlugin=mcs/user --slurm MCSParameters=enforced,select
no_start_was_refused
