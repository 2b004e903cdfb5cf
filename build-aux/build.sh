#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Set up, configure and build, from nothing if need be; what is done already
# takes no time. Says nothing but why it failed, so testsuite/run.sh and
# contrib/demo.sh can begin with it.
#
# If ccache works here, what has been compiled already is not compiled again.
#
# usage: build-aux/build.sh [--checks] [--verbose]
#   --checks   also the programs that "make check" runs
#   --verbose  name each step, and the time since the beginning
#
# ASTRAEA_BUILDDIR   the build folder [build/ of the checkout]
# ASTRAEA_CONFIGURE  arguments for configure, where it has yet to be run
#                    [--enable-werror]
# ASTRAEA_TARGETS    what make builds, besides the version's stamp [all]
# ASTRAEA_SLURM      where Slurm is installed, if not as a package; its source
#                    and build folder: ASTRAEA_SLURM_SRC, ASTRAEA_SLURM_BUILD

set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
builddir=${ASTRAEA_BUILDDIR:-$top/build}
checks='' verbose=''
# Objects are the same in every folder, but for where their sources lie as debuggers
# see it. What one is made of the compiler says: no preprocessor runs before it.
export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
# The shell of configure and make: dash begins sooner than bash.
export CONFIG_SHELL=/bin/sh
log=$(mktemp "${TMPDIR:-/tmp}/astraea-build.XXXXXX")
trap 'rm -f "$log"' EXIT

# tell TEXT: with the time since the beginning, in one line of a terminal.
tell() {
	[[ $verbose ]] || return 0
	local text=$*
	((${#text} <= 68)) || text=${text:0:65}...
	printf '  %2d:%02d  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$text"
}

# What setup.sh says of its minutes: packages, Slurm's source, its headers; and how
# many files the compiler has done, once in a while.
progress() {
	local line files=0
	while IFS= read -r line; do
		case $line in
		'setup: '*) tell "  ${line#setup: }" ;;
		'  CC '*) ((++files % 60)) || tell "  $files files compiled" ;;
		esac
	done
}

# step NAME COMMAND...: quiet unless it fails.
step() {
	local name=$1
	shift
	tell "$name"
	if "$@" </dev/null 2>&1 | tee "$log" | progress; then return; fi
	echo "FAIL  $name"
	tail -n 60 "$log"
	exit 1
}

# Whether it is there, and has a compiler and a folder to write to.
ccache_works() {
	# shellcheck disable=SC2086
	echo 'int x;' | ccache ${CC:-gcc} -x c -c -o /dev/null - >/dev/null 2>&1
}

# Whether the compiler can link with gold, which takes half as long.
gold_works() {
	# shellcheck disable=SC2086
	echo 'int main(void) { return 0; }' |
		${CC:-gcc} -fuse-ld=gold -x c -o /dev/null - >/dev/null 2>&1
}

build() {
	local compiler='' linker=''
	step "packages and Slurm's headers" "$top/build-aux/setup.sh"
	[[ -x $top/configure ]] || step autogen "$top/autogen.sh"
	mkdir -p "$builddir"
	cd "$builddir"
	! ccache_works || compiler="CC=ccache ${CC:-gcc}"
	[[ ${LDFLAGS-} ]] || ! gold_works || linker=LDFLAGS=-fuse-ld=gold
	# shellcheck disable=SC2086
	[[ -f Makefile ]] || step configure "$top/configure" ${compiler:+"$compiler"} $linker \
		${ASTRAEA_CONFIGURE---enable-werror} \
		${ASTRAEA_SLURM:+"--with-slurm=$ASTRAEA_SLURM"} \
		${ASTRAEA_SLURM_SRC:+"--with-slurm-src=$ASTRAEA_SLURM_SRC"} \
		${ASTRAEA_SLURM_BUILD:+"--with-slurm-build=$ASTRAEA_SLURM_BUILD"}
	# shellcheck disable=SC2086
	step make make -j"$(nproc)" ${ASTRAEA_TARGETS+astra_stamp.h $ASTRAEA_TARGETS}
	[[ ! $checks ]] || step "make check" make -j"$(nproc)" check TESTS=
	tell ready
}

for option in "$@"; do
	case $option in
	--checks) checks=1 ;;
	--verbose) verbose=1 ;;
	*)
		echo "usage: build-aux/build.sh [--checks] [--verbose]" >&2
		exit 1
		;;
	esac
done
build
