#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The RPM packages, in a root whose dpkg is taken away: built, looked at with
# rpmlint, their lists of files, the range of Slurm that they hold, a removal
# refused, astraea-rebuild by the trigger of an updated Slurm. Packages of Slurm are
# made up, without files: Slurm itself is Debian's, as is rpm.
#
# usage: rpm.sh FOLDER    that of Debian's packages; Slurm's source beside
set -euo pipefail
here=$(dirname "$0")
built=$1
release=$(slurmctld -V | sed 's/[^0-9]*\([0-9.]*\).*/\1/')
next=${release%.*}.$((${release##*.} + 1))
top=$(mktemp -d)
plugindir=$(dirname "$(dpkg -L slurm-wlm-basic-plugins | grep '/auth_munge.so$')")

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# ---- build --------------------------------------------------------------------------
mkdir "$top/SOURCES" "$top/x"
dpkg-deb -x "$built"/astraea-source_*.deb "$top/x"
cp "$top"/x/usr/src/astraea-*.tar.xz "$top/SOURCES"
tar -xJf "$top"/SOURCES/astraea-*.tar.xz -C "$top" --strip-components=3 \
	--wildcards '*/contrib/packages/astraea.*'
rpmbuild -ba --nodeps --define "_topdir $top" \
	--define "slurm_src $here/../slurm-$release/src" \
	--define "slurm_build $here/../slurm-$release/build" \
	"$top/astraea.spec" >"$top/log" 2>&1 || fail "$(tail -n 30 "$top/log")"
rpmlint -r "$top/astraea.rpmlintrc" "$top/astraea.spec" "$top"/*RPMS/ |
	tee "$top/said" || fail "rpmlint"
grep -q ' 0 errors, 0 warnings' "$top/said" || fail "rpmlint has warnings"
for p in "$top"/RPMS/*/*.rpm; do
	echo "--- ${p##*/}"
	rpm -qpl "$p" | grep -v '/\.build-id'
done
rpm -qpR "$top"/RPMS/*/astraea-slurmctld-*.rpm | grep slurm-slurmctld

# ---- a host without dpkg ----------------------------------------------------------------
rm -rf /var/lib/dpkg /usr/bin/dpkg* /usr/bin/apt*
rpm --initdb
# slurm_rpm VERSION: what Slurm's packages say of themselves.
slurm_rpm() {
	cat >"$top/slurm.spec" <<-EOT
	Name: slurm
	Version: $1
	Release: 1
	Summary: as if
	License: GPL-2.0-or-later
	%description
	As if.
	%package slurmctld
	Summary: as if
	%description slurmctld
	As if.
	%files
	%files slurmctld
	EOT
	rpmbuild -bb --define "_topdir $top/slurm" "$top/slurm.spec" \
		>"$top/log" 2>&1 || fail "$(tail -n 30 "$top/log")"
}
# packages NAME...: their files. What else they need is Debian's, which rpm does
# not know.
packages() {
	local name
	for name in "$@"; do ls "$top"/RPMS/*/"$name"-[0-9]*.rpm; done
}
slurm_rpm "$release"
slurm_rpm "$next"
now=("$top"/slurm/RPMS/*/slurm-*"$release"-1*.rpm)
later=("$top"/slurm/RPMS/*/slurm-*"$next"-1*.rpm)
rpm -i "${now[@]}"
mkdir -p /etc/slurm
echo 'SchedulerType=sched/backfill' >/etc/slurm/slurm.conf

mapfile -t files < <(packages sfair astraea-slurmctld)
rpm -i --nodeps "${files[@]}"
rpm -V --nodeps astraea-slurmctld || fail "rpm -V"
! rpm -U --test "${later[@]}" 2>"$top/said" || fail "Slurm is not held back"
grep 'slurm-slurmctld < ' "$top/said" || fail "$(cat "$top/said")"

echo 'SchedulerType=sched/astraea' >/etc/slurm/slurm.conf
! rpm -e astraea-slurmctld >"$top/said" 2>&1 || fail "removed while needed"
grep -A1 'names plugins' "$top/said" || fail "$(cat "$top/said")"
[[ -e $plugindir/sched_astraea.so ]] || fail "sched_astraea.so is gone"
mapfile -t files < <(packages astraea-source)
! rpm -i --test "${files[@]}" 2>"$top/said" || fail "both kinds on one host"
grep conflicts "$top/said" || fail "$(cat "$top/said")"
ASTRAEA_REMOVE=yes rpm -e astraea-slurmctld | grep 'are left' ||
	fail "removal does not say what it leaves"

# ---- the trigger -----------------------------------------------------------------------
mkdir -p /etc/sysconfig
printf 'SLURM_SRC=%s/src\nSLURM_BUILD=%s/build\n' \
	"$here/../slurm-$release" "$here/../slurm-$release" \
	>/etc/sysconfig/astraea-rebuild
rpm -i --nodeps "${files[@]}"
[[ -s $plugindir/sched_astraea.so ]] || fail "nothing built at installation"
astraea-rebuild --check
rm -rf "$plugindir/astraea"
rpm -U "${later[@]}"
astraea-rebuild --check || fail "the trigger has not rebuilt"
mv "$here/../slurm-$release" /srv/elsewhere
rm -rf "$plugindir/astraea"
rpm -U --oldpackage "${now[@]}" >"$top/said" 2>&1 || :
grep 'WILL NOT START' "$top/said" || fail "nobody was told: $(cat "$top/said")"
mv /srv/elsewhere "$here/../slurm-$release"
astraea-rebuild
echo 'SchedulerType=sched/backfill' >/etc/slurm/slurm.conf
rpm -e astraea-source sfair
left=$(find "$plugindir" -name '*astraea*' -o -name '*ltgf*')
[[ ! $left ]] || fail "removal leaves $left"
echo "rpm: done"
