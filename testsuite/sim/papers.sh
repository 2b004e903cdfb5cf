#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the papers claim, in short: testsuite/papers has it whole.

set -euo pipefail

exec "$(dirname "$0")/../papers/themis.sh" --short
