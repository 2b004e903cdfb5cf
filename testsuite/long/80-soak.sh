#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld's memory stays flat over 1,000 rounds of jobs;
# with --stock plain Slurm's, to compare.
. "$(dirname "$0")/../lib/soak.sh"

soak 1000 10 10 500 "$@"
