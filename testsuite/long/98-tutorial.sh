#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# doc/tutorial.md, word for word, in folders with nothing but Debian 12 or 13 in
# them, and an empty environment: each block is typed as it stands, and what its
# jobs have written at the end is that they did every step once. About ten
# minutes.
set -euo pipefail
unset LD_PRELOAD # it is not there

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
roots=${XDG_CACHE_HOME:-~/.cache}/astraea/tutorial
# shellcheck source=testsuite/lib/bare.sh
. "$top/testsuite/lib/bare.sh"

fail() {
	echo "FAIL: $*" >&2
	exit 1
}

# The blocks, and what the text says of a container with Debian 13.
commands() {
	echo 'set -ex; cd /root/astraea'
	[[ $1 != trixie ]] || sed -n \
		's/^`\(echo CgroupPlugin.*\)` before.*/mkdir -p \/etc\/slurm; \1/p' \
		"$top/doc/tutorial.md"
	awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' \
		"$top/doc/tutorial.md"
}

copy_checkout() {
	rm -rf "$1/root/astraea"
	mkdir -p "$1/root/astraea"
	(cd "$top" && git ls-files -z --cached --others --exclude-standard |
		tar --create --null --files-from=- --ignore-failed-read) |
		tar --extract --directory="$1/root/astraea"
}

# enter ROOT COMMAND...: over the bare folder, which stays as it is; what it
# started ends with it.
enter() {
	# shellcheck disable=SC2016
	unshare --mount --propagation private --pid --ipc --fork \
		--kill-child bash -c '
		set -eu
		lower=$1 over=$2
		shift 2
		mount -t tmpfs tmpfs "$over"
		mkdir "$over"/{upper,work,root}
		mount -t overlay overlay -o \
			"lowerdir=$lower,upperdir=$over/upper,workdir=$over/work" \
			"$over/root"
		cd "$over/root"
		mount --rbind /dev dev
		mount --rbind /sys sys
		mount -t proc proc proc
		mount -t tmpfs tmpfs run
		mkdir -p run/lock
		cat /etc/resolv.conf >etc/resolv.conf
		cat /etc/hosts >etc/hosts
		chroot . env -i HOME=/root TERM=dumb \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			"$@" </dev/null || exit
		' tutorial "$@"
}

# What the jobs wrote: three are done, one of them went on after its checkpoint.
proves() {
	[[ $(grep -c '^done: 90 steps$' "$1") == 3 ]] || return 1
	local after
	after=$(sed -n 's/^checkpoint after step //p' "$1")
	[[ $after ]] || return 1
	for step in $after; do
		grep -qx "begins after step $step on GPUs .*" "$1" || return 1
	done
	grep -qx 'SchedulerType *= sched/backfill' "$1"
}

bare_possible
mkdir -p "$roots/over"
exec 9>"$roots/lock"
flock 9
for suite in bookworm trixie; do
	bare_root "$suite" "$roots/$suite"
	copy_checkout "$roots/$suite"
	commands "$suite" >"$roots/$suite/root/tutorial.sh"
	log=$roots/$suite.log
	enter "$roots/$suite" "$roots/over" bash /root/tutorial.sh \
		>"$log" 2>&1 || {
		tail -n 40 "$log"
		fail "$suite: a command failed"
	}
	proves "$log" || {
		tail -n 60 "$log"
		fail "$suite: the jobs did not do what the tutorial says"
	}
	echo "ok $suite"
done
