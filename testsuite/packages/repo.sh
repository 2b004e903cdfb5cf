# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A folder of packages that apt sees as a mirror; sourced by the scenes.

repo=/repo

# repo_update: after packages were put there.
repo_update() {
	(cd "$repo" && dpkg-scanpackages --multiversion . >Packages 2>/dev/null)
	echo "deb [trusted=yes] file:$repo ./" >/etc/apt/sources.list.d/repo.list
	apt-get -qq update
}

# repack DEB VERSION SED [SED]: the same files as another version, its control
# file changed as sed is told, and Slurm's release in its programs.
repack() {
	local work file
	work=$(mktemp -d)
	dpkg-deb -R "$1" "$work/p"
	sed -i -e "s/^Version: .*/Version: $2/" -e "$3" "$work/p/DEBIAN/control"
	# What debian/rules wrote there.
	[[ ! -f $work/p/DEBIAN/preinst ]] ||
		sed -i "s/^release=.*/release=${2##*slurm}/" "$work/p/DEBIAN/preinst"
	for file in "$work"/p/usr/sbin/slurm*-wlm \
		"$work"/p/usr/lib/*/slurm-wlm/libslurmfull.so; do
		[[ ! ${4-} || ! -f $file ]] || sed -i "$4" "$file"
	done
	dpkg-deb -b "$work/p" "$repo" >/dev/null
	rm -rf "$work"
}

# next_slurm NEW: all installed packages of Slurm, as if of release NEW: so say
# their control files and "slurmctld -V". What the programs do is as before.
next_slurm() {
	local full p old work
	full=$(dpkg-query -W -f '${Version}' slurmctld)
	old=${full%%-*}
	work=$(mktemp -d)
	chmod 755 "$work"
	for p in $(dpkg-query -W -f '${Package} ${source:Package}\n' |
		sed -n 's/ slurm-wlm$//p'); do
		(cd "$work" && apt-get -qq download "$p=$full" 2>/dev/null)
	done
	for p in "$work"/*.deb; do
		repack "$p" "$1-1" "s/(= $full)/(= $1-1)/g" "s/${old//./\\.}/$1/g"
	done
	rm -rf "$work"
}

version_of() { dpkg-query -W -f '${Version}' "$1" 2>/dev/null; }
installed() {
	[[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# apt_get WORDS...: what it said is in /tmp/apt.log; its status counts.
apt_get() {
	DEBIAN_FRONTEND=noninteractive apt-get -y -o Dpkg::Use-Pty=0 "$@" \
		>/tmp/apt.log 2>&1 </dev/null
	local rc=$?
	{ echo "== $*"; cat /tmp/apt.log; } >>/tmp/apt-all.log
	return $rc
}
