#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make configure from configure.ac. build-aux/setup.sh brings the tools.
set -eu
cd "$(dirname "$0")"
command -v autoreconf >/dev/null && command -v automake >/dev/null || {
	echo "autogen.sh: autoconf or automake is missing:" \
		"run build-aux/setup.sh" >&2
	exit 1
}
exec autoreconf --install
