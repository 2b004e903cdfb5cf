#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The live tests with Debian 13's Slurm, 24.11.
exec "$(dirname "$0")/../lib/other-release" trixie 'live/*'
