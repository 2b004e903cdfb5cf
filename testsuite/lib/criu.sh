# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A criu that can restore here, for live tests. Source it behind live.sh.
#
#   find_criu DIR	put one into DIR for all users, this machine's or else that
#			of a root of Debian sid, which is made once below
#			${XDG_CACHE_HOME:-~/.cache}/astraea; PATH begins with DIR
#			then. Returns 1 where there is none.

criu_root=${XDG_CACHE_HOME:-~/.cache}/astraea/criu
# shellcheck source=testsuite/lib/bare.sh
. "${BASH_SOURCE[0]%/*}/bare.sh"

# One of 4.0 or later: the first that needs no privilege.
criu_is_new() {
	[[ $(criu --version 2>/dev/null) =~ Version:\ ([0-9]+) ]] &&
		((BASH_REMATCH[1] >= 4))
}

find_criu() {
	local dir=$1 linker=ld-linux-x86-64.so.2 library
	if criu_is_new; then
		return 0
	fi
	[[ $(uname -m) == x86_64 ]] || return 1
	mkdir -p "${criu_root%/*}"
	[[ -f $criu_root.made ]] || (
		bare_possible
		flock 9
		bare_root sid "$criu_root" criu \
			--aptopt='Acquire::Check-Valid-Until "false"' \
			--aptopt='APT::Install-Recommends "false"'
	) 9>"$criu_root.lock" >&2 || return 1
	mkdir -p "$dir"
	cp "$criu_root/usr/sbin/criu" "$dir/criu.bin"
	for library in "$criu_root"/usr/lib/x86_64-linux-gnu/*.so.*; do
		[[ ! -f $library ]] || cp "$library" "$dir"
	done
	# It tries what the kernel has, as 32-bit programs, in processes that die
	# where it has not: that is no crash of ours.
	cat >"$dir/criu" <<-EOT
		#!/bin/sh
		unset LD_PRELOAD
		exec $dir/$linker --library-path $dir $dir/criu.bin "\$@"
	EOT
	chmod 755 "$dir/criu"
	PATH=$dir:$PATH
	criu_is_new
}
