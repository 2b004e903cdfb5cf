# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the packages' scripts have in common; debian/rules puts it into them, and
# contrib/packages/in-use into it: they decide before files of the packages are
# there, and after those are gone.

# in_use: the lines of slurm.conf that name the plugins, or 1 if none does.
in_use() {
	sh -s <<'IN_USE'
#IN_USE#
IN_USE
}

# release_in: the releases of slurmctld's packages in lines "NAME VERSION".
release_in() {
	sed -n 's/^\(slurmctld\|slurm-smd-slurmctld\) \([0-9]*:\)\?\([0-9.]*\).*/\3/p'
}

# The release of the slurmctld that is there.
slurmctld_release() {
	dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' \
		slurmctld slurm-smd-slurmctld 2>/dev/null |
		sed '/^not-installed /d; /^config-files /d; s/^[a-z-]* //' |
		release_in
}

# slurmctld's own package is on its way out as well, or gone.
slurmctld_goes() {
	case " $(dpkg-query -W -f '${db:Status-Want} ' slurmctld \
		slurm-smd-slurmctld 2>/dev/null)" in
	*' install '* | *' hold '*) return 1 ;;
	*' deinstall '* | *' purge '*) return 0 ;;
	esac
	return 1
}

# needed: those lines, if there will be a slurmctld that reads them; else 1.
needed() {
	! slurmctld_goes && needed_lines=$(in_use) || return 1
	echo "$needed_lines" | sed 's/^/  /'
}

# slurmctld does not start when slurm.conf names a plugin that is gone, and
# nobody would see it before the next restart: so removal is refused until
# slurm.conf is changed, or the admin says ASTRAEA_REMOVE=yes.
refuse_removal() {
	[ "$ASTRAEA_REMOVE" != yes ] && lines=$(needed) || return 0
	cat >&2 <<-EOT
	$DPKG_MAINTSCRIPT_PACKAGE: slurm.conf names plugins of this package:
	$lines
	slurmctld would not start without them, so they are not removed.
	If an update of Slurm wants them removed, there are none yet for the new
	release: keep Slurm as it is, or install astraea-slurmctld for that
	release in the same step. To remove them all the same: take those lines
	out of slurm.conf, restart slurmctld (no job is lost), and remove again;
	or set ASTRAEA_REMOVE=yes. astraea-doc's packages.md has more.
	EOT
	exit 1
}

# tell_ways_out WHAT LINES: slurmctld will not start, for what has happened.
tell_ways_out() {
	cat >&2 <<-EOT

	$DPKG_MAINTSCRIPT_PACKAGE: WARNING: $1, and slurm.conf names them:
	$2
	slurmctld WILL NOT START with these lines; one that runs goes on till its
	next start. Either
	- install plugins for slurmctld's release: apt-get install astraea-slurmctld
	  or astraea-source, which builds them;
	- or take those lines out of slurm.conf, with RequeueExit=85 in their place
	  while jobs still write checkpoints, and restart slurmctld. No job is lost.
	astraea-doc's packages.md has more.

	EOT
}

# dpkg asks no package that is unpacked and not set up whether it may go, and it
# may have been told to: at the least it is said what has happened.
tell_removed() {
	lines=$(needed) || return 0
	tell_ways_out "its plugins are gone" "$lines"
}

tell_left() {
	echo "$DPKG_MAINTSCRIPT_PACKAGE: astraea.conf beside slurm.conf, astraea*" \
		"in StateSaveLocation (leases, accounts, history) and" \
		"/dev/shm/astraea.* are left; remove them by hand"
}
