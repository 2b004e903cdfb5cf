#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The way of doc/admins.md from a stock cluster of Debian 13 with running jobs to the first lease,
# and back, word for word from packages in a bare root: no job is lost or interrupted.
# About five minutes.
set -euo pipefail
exec "$(dirname "$0")/../packages/try" trixie hour
