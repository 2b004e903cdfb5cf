# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A criu that can restore here, for live tests: source it after live.sh.
#
#   find_criu DIR	find this machine's criu. If it is too old, put the one of
#			a root of Debian sid into DIR for all users, and DIR first
#			in PATH. The root is made once below
#			${XDG_CACHE_HOME:-~/.cache}/astraea. Returns 1 if there is
#			none

criu_root=${XDG_CACHE_HOME:-~/.cache}/astraea/criu
# shellcheck source=testsuite/lib/bare.sh
. "${BASH_SOURCE[0]%/*}/bare.sh"

# Whether criu is 4.0 or later, the first that needs no privileges.
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
	# criu tries features of the kernel, such as 32-bit programs, in processes
	# that die if the kernel lacks them. These are no crashes of ours.
	cat >"$dir/criu" <<-EOT
		#!/bin/sh
		unset LD_PRELOAD
		exec $dir/$linker --library-path $dir $dir/criu.bin "\$@"
	EOT
	chmod 755 "$dir/criu"
	PATH=$dir:$PATH
	criu_is_new
}
