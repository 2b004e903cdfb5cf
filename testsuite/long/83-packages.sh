#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's packages, from bare roots of both releases: built, looked at with
# lintian, installed on a stock cluster, Slurm updated below them, updated
# themselves, removed. About ten minutes.
set -euo pipefail
try=$(dirname "$0")/../packages/try
"$try" bookworm scene
"$try" trixie
