#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What Debian's scripts say and refuse, by dpkg and apt themselves: small packages
# with those scripts, and made-up ones of Slurm, in a folder of their own. Slurm's
# programs are not needed.
set -euo pipefail

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
for command in dpkg dpkg-deb apt-get; do
	command -v "$command" >/dev/null || {
		echo "no $command"
		exit 77
	}
done
((EUID == 0)) || {
	echo "only root installs packages"
	exit 77
}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
status=0
arch=$(dpkg --print-architecture)
plugins=$work/root/usr/lib/plugins
export SLURM_CONF=$work/slurm.conf
unset ASTRAEA_REMOVE DPKG_FRONTEND_LOCKED DPKG_FORCE

complain() {
	echo "$*"
	cat "$work/said"
	status=1
}

# ---- packages --------------------------------------------------------------------
sed -e "/^#IN_USE#\$/{r $top/contrib/packages/in-use" -e 'd}' \
	"$top/debian/shared.sh" >"$work/shared.sh"
# script PACKAGE NAME RELEASE: as debian/rules makes it.
script() {
	sed -e "/^#SHARED#\$/{r $work/shared.sh" -e 'd}' -e '/^#DEBHELPER#$/d' \
		-e "s/#SLURM#/$3/" "$top/debian/$1.$2"
}
# deb PACKAGE VERSION DEPENDS [RELEASE]: into the mirror; with a release, ours.
deb() {
	local name at=$work/deb
	rm -rf "$at"
	mkdir -p "$at/DEBIAN" "$at/usr/lib/plugins" "$work/mirror"
	cat >"$at/DEBIAN/control" <<-EOT
	Package: $1
	Version: $2
	Architecture: $arch
	Maintainer: nobody <nobody@example.org>
	Description: as if
	${3:+Depends: $3}
	EOT
	sed -i '/^$/d' "$at/DEBIAN/control"
	echo "$2" >"$at/usr/lib/plugins/$1"
	if [[ $1 == slurmctld ]]; then
		mkdir -p "$at/usr/sbin"
		touch "$at/usr/sbin/slurmctld-wlm"
	fi
	[[ $1 != sfair ]] || cp "$top/debian/sfair.triggers" "$at/DEBIAN/triggers"
	for name in preinst prerm postrm postinst; do
		[[ ${4-} && $1-$name != astraea-*-postinst &&
			-f $top/debian/$1.$name ]] || continue
		script "$1" "$name" "$4" >"$at/DEBIAN/$name"
		sh -n "$at/DEBIAN/$name" || complain "$1.$name"
		chmod 755 "$at/DEBIAN/$name"
	done
	dpkg-deb -b "$at" "$work/mirror" >/dev/null
}
# both RELEASE NEXT: Slurm's and ours.
both() {
	deb slurmctld "$1-4+deb1" ''
	deb astraea-slurmctld "1+slurm$1" \
		"slurmctld (>= $1~), slurmctld (<< $2~)" "$1"
}
both 24.11.5 24.11.6
both 24.11.6 24.11.7
deb astraea-source 1 slurmctld any
deb sfair 1 '' any

# ---- dpkg and apt in that folder ------------------------------------------------------
fresh() {
	rm -rf "$work/root"
	mkdir -p "$work/root/var/lib/dpkg/"{info,updates,triggers} \
		"$work/root/var/log" "$work/root/var/lib/apt/lists/partial" \
		"$work/root/var/cache/apt/archives/partial"
	: >"$work/root/var/lib/dpkg/status"
}
dpkg_() {
	dpkg --root="$work/root" --force-script-chrootless "$@" \
		>"$work/said" 2>&1 </dev/null
}
cat >"$work/apt.conf" <<EOT
Dir "$work/root";
Dir::Etc "$work/none";
Dir::State::status "$work/root/var/lib/dpkg/status";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Log "$work/root/var/log";
APT::Architecture "$arch";
APT::Sandbox::User "root";
Acquire::Languages "none";
Dpkg::Use-Pty "0";
Dpkg::Options {"--root=$work/root"; "--force-script-chrootless";};
EOT
cd "$work/mirror"
echo "deb [trusted=yes] file:$work/mirror ./" >"$work/sources.list"
for file in *.deb; do
	dpkg-deb -f "$file"
	echo "Filename: ./$file"
	echo "Size: $(stat -c %s "$file")"
	echo "SHA256: $(sha256sum "$file" | cut -d' ' -f1)"
	echo
done >Packages
apt() {
	APT_CONFIG=$work/apt.conf apt-get -qy "$@" >"$work/said" 2>&1 </dev/null
}
version() {
	dpkg-query --admindir="$work/root/var/lib/dpkg" \
		-W -f '${db:Status-Abbrev}${Version}' "$1" 2>/dev/null
}
says() { grep -q -- "$1" "$work/said" || complain "not said: $1"; }
# is PACKAGE STATE: as "dpkg -l" has it, and its version.
is() { [[ $(version "$1") == "$2" ]] || complain "$1 is $(version "$1"), not $2"; }
# plugins_of VERSION: those are there.
plugins_of() {
	[[ $(cat "$plugins/astraea-slurmctld" 2>/dev/null) == "$1" ]] ||
		complain "plugins: $(cat "$plugins/astraea-slurmctld" 2>&1)"
}
ours='JobSubmitPlugins = lua,astraea'
names() { echo "$ours" >"$SLURM_CONF"; }
stock() { echo 'SchedulerType=sched/backfill' >"$SLURM_CONF"; }
old=("slurmctld_24.11.5-4+deb1_$arch.deb" "astraea-slurmctld_1+slurm24.11.5_$arch.deb")
new=("${old[@]//24.11.5/24.11.6}")
with_old() {
	fresh
	stock
	dpkg_ -i "${old[@]}" || complain "24.11.5"
	plugins_of 1+slurm24.11.5
}

# ---- removal ------------------------------------------------------------------------------
with_old
names
! dpkg_ -r astraea-slurmctld || complain "removed"
says "slurm.conf:1: $ours"
plugins_of 1+slurm24.11.5
ASTRAEA_REMOVE=yes dpkg_ -r astraea-slurmctld || complain "not removed"
says 'WILL NOT START'
dpkg_ -P astraea-slurmctld || complain "not purged"
says '/dev/shm/astraea'
with_old
dpkg_ -r astraea-slurmctld || complain "not removed"
! grep 'slurm.conf names' "$work/said" || complain "nothing names them"
with_old
names
dpkg_ -r slurmctld astraea-slurmctld || complain "not removed with slurmctld"
! grep 'slurm.conf names' "$work/said" || complain "nobody reads them"

# Unpacked and not set up: dpkg does not ask prerm.
for file in "${old[1]}" "astraea-source_1_$arch.deb"; do
	fresh
	names
	dpkg_ -i "${old[0]}" || complain "slurmctld"
	dpkg_ --unpack "$file" || complain "$file"
	package=${file%%_*}
	apt remove "$package" || complain "$package is not removed"
	says "slurm.conf:1: $ours"
	says 'WILL NOT START'
	says "$package: WARNING: its plugins are gone"
	says "apt-get install astraea-slurmctld"
done

# ---- plugins for another release ------------------------------------------------------------
with_old
names
! dpkg_ -i "${new[1]}" || complain "another release's plugins are installed"
says 'plugins are for Slurm 24.11.6, slurmctld is 24.11.5'
says "slurm.conf:1: $ours"
plugins_of 1+slurm24.11.5
is astraea-slurmctld 'ii 1+slurm24.11.5'
# Where slurm.conf names none, it is dpkg's own to complain; so it is by force.
stock
! dpkg_ -i "${new[1]}" || complain "its dependencies are not there"
plugins_of 1+slurm24.11.6
with_old
names
dpkg_ --force-depends -i "${new[1]}" || complain "--force-depends"

# Before slurmctld; with it, in whichever order; by apt.
fresh
names
dpkg_ --unpack "${new[1]}" || complain "there is no slurmctld yet"
dpkg_ -i "${new[0]}" || complain "then slurmctld"
dpkg_ --configure -a || complain "and it is set up"
is astraea-slurmctld 'ii 1+slurm24.11.6'
mkdir "$work/two"
cp "${new[@]}" "$work/two"
for order in "${new[*]}" "${new[1]} ${new[0]}" "-R $work/two"; do
	with_old
	names
	# shellcheck disable=SC2086
	dpkg_ -i $order || complain "dpkg -i $order"
	is slurmctld 'ii 24.11.6-4+deb1'
	is astraea-slurmctld 'ii 1+slurm24.11.6'
done
with_old
names
dpkg_ -i "sfair_1_$arch.deb" || complain "sfair"
apt update || complain "apt-get update"
apt dist-upgrade || complain "apt-get dist-upgrade"
is slurmctld 'ii 24.11.6-4+deb1'
is astraea-slurmctld 'ii 1+slurm24.11.6'
! grep WARNING "$work/said" || complain "all fits"

# Slurm alone: dpkg asks none of ours.
with_old
names
dpkg_ -i "sfair_1_$arch.deb" || complain "sfair"
dpkg_ -i "${new[0]}" || complain "slurmctld"
says 'slurmctld is 24.11.6, the plugins are for 24.11.5, and slurm.conf names them'
says "slurm.conf:1: $ours"
says 'WILL NOT START'
exit "$status"
