#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Slurmctld's memory stays flat while jobs come and go: the short form.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/soak.sh"

soak 40 8 100
