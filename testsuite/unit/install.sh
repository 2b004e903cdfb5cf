#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What "make install" puts where: nothing that Slurm reads at once.
set -euo pipefail

build=${top_builddir:-$(cd "$(dirname "$0")/../.." && pwd)/build}
tools=$(mktemp -d)
trap 'rm -r "$tools"' EXIT
status=0

complain() {
	echo "$*"
	status=1
}

make -C "$build" install DESTDIR="$tools/to" >"$tools/log" 2>&1 || {
	tail -20 "$tools/log"
	exit 1
}
lines=$(find "$tools/to" -path '*/plugstack.conf.d/*' -printf '%f\n')
[ "$lines" = astraea.conf.example ] ||
	complain "plugstack.conf.d has \"$lines\": no *.conf belongs there"
live=$(find "$tools/to" -name '*.conf')
[ -z "$live" ] || complain "read by Slurm at once: $live"

# An admin's own line stays when the example goes.
folder=$(dirname "$(find "$tools/to" -name astraea.conf.example \
	-path '*/plugstack.conf.d/*')")
echo "optional spank_astraea.so agent=/opt/sfair-agent" >"$folder/astraea.conf"
make -C "$build" uninstall DESTDIR="$tools/to" >"$tools/log" 2>&1 ||
	complain "make uninstall: $(tail -3 "$tools/log")"
[ -s "$folder/astraea.conf" ] || complain "make uninstall took an admin's file"
left=$(find "$tools/to" -type f ! -path "$folder/*")
[ -z "$left" ] || complain "make uninstall leaves $left"
exit "$status"
