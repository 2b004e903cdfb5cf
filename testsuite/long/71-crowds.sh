#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# First starts keep their bounds in 4,000 random crowds of 100 jobs, and in as many
# of short ones (testsuite/unit/test_sim_properties.c): demand is up to five times
# the cluster, and every fifth job has half of it. 500 of each under policies that
# allocate, where leases of themis may make a few late. Ten minutes.
# Needs: test_sim_properties
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
ASTRAEA_BOUND_SEEDS=4000 \
	exec "${ASTRAEA_BUILDDIR:-$top/build}/test_sim_properties"
