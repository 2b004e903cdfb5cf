#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Bring a bare Debian machine to where Astraea builds and its tests run:
#   1. packages (as root, and only those that are missing), with those that
#      ASTRAEA_PACKAGES names;
#   2. Slurm's private headers: the source package of the very version that is
#      installed, configured out of tree, kept in
#      ${XDG_CACHE_HOME:-~/.cache}/astraea/slurm-VERSION/{src,build}.
# A second run finds all of it done and takes no time. No daemon is started, now
# or at the next boot; no existing cluster and no file of apt's own configuration
# is touched.
#
# Where ASTRAEA_SLURM names the folder that Slurm is installed in, no package of
# Slurm is, nor its source fetched; on a system without dpkg nothing is done.
#
# usage: build-aux/setup.sh [--build-only | --source-only] [--force]
#   --build-only  what the build needs and no daemon's package: for the host of
#                 slurmctld and others of a cluster; the tests need the rest
#   --source-only only 2., and no package: for builders of packages
#   --force       fetch the source again

set -euo pipefail

packages=(
	autoconf automake pkg-config gcc libc6-dev make dpkg-dev
	libcmocka-dev libglpk-dev libjansson-dev libmicrohttpd-dev
	libmunge-dev libncurses-dev libsqlite3-dev zlib1g-dev
)
test_packages=(munge mariadb-server python3 procps bc)
if [[ ! ${ASTRAEA_SLURM-} ]]; then
	packages+=(libslurm-dev slurm-wlm-basic-plugins)
	test_packages+=(
		slurmctld slurmd slurm-client slurmdbd slurm-wlm-mysql-plugin
	)
fi
read -ra more <<<"${ASTRAEA_PACKAGES-}"
packages+=("${more[@]}")
cache=${XDG_CACHE_HOME:-~/.cache}/astraea
root=${DPKG_ROOT-} # as dpkg's own helpers take it; empty on a machine
policy=$root/usr/sbin/policy-rc.d
made_policy=
enabled_before=
export DEBIAN_FRONTEND=noninteractive

say() { echo "setup: $*"; }

die() {
	echo "setup: error: $*" >&2
	exit 1
}

apt() { apt-get -qq -o DPkg::Lock::Timeout=600 "$@" </dev/null; }

missing_packages() {
	local p
	for p in "${packages[@]}"; do
		[[ $(dpkg-query -W -f '${Status}' "$p" 2>/dev/null) == \
			"install ok installed" ]] || echo "$p"
	done
}

# A package that installs a daemon asks this script whether to start it.
forbid_daemons() {
	enabled_before=$(enabled_units)
	made_policy=0
	[[ ! -e $policy ]] || return 0
	made_policy=1
	printf '#!/bin/sh\nexit 101\n' >"$policy"
	chmod 755 "$policy"
}

# The links that make units start at the next boot, and those of other names of
# theirs, by which an upgrade tells that they are enabled.
enabled_units() {
	local dir=$root/etc/systemd/system
	[[ ! -d $dir ]] || find "$dir" -type l | sort
}

# That script does not keep a package from enabling its daemon for the next boot:
# what this run has enabled is disabled, what was enabled before stays.
disable_daemons() {
	local link unit
	while read -r link; do
		[[ $link ]] || continue
		rm -f "$link"
		[[ $link == *.wants/* ]] || continue
		unit=${link##*/}
		[[ -n $root || ! -e /etc/init.d/${unit%.service} ]] ||
			update-rc.d "${unit%.service}" disable >/dev/null 2>&1 ||
			:
		say "$unit is installed and not enabled: it starts at no boot"
	done < <(comm -13 <(echo "$enabled_before") <(enabled_units))
}

allow_daemons() {
	[[ -n $made_policy ]] || return 0
	disable_daemons
	((!made_policy)) || rm -f "$policy"
	made_policy=
}

install_packages() {
	local missing
	mapfile -t missing < <(missing_packages)
	((${#missing[@]})) || return 0
	((EUID == 0)) || die "these packages are missing, and only root can" \
		"install them: ${missing[*]}"
	say "installing ${missing[*]}"
	forbid_daemons
	apt update
	apt install --no-install-recommends "${missing[@]}" >"$cache/apt.log" \
		2>&1 || { tail -20 "$cache/apt.log" >&2; die "apt-get failed"; }
	allow_daemons
}

# Print the machine's own apt sources as deb-src entries in deb822 form. A
# stanza that is disabled, or names no suite of components, is left out.
source_stanzas() {
	local f
	shopt -s nullglob
	for f in /etc/apt/sources.list.d/*.sources; do
		awk -v RS= '!/(^|\n)Enabled:[ \t]*no/ && /(^|\n)Components:/ &&
			/(^|\n)Types:([^\n]*[ \t])?deb([ \t\n]|$)/ {
			gsub(/(^|\n)Types:[^\n]*/, "\nTypes: deb-src")
			sub(/^\n/, "")
			print $0 "\n"
		}' "$f"
	done
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[[ -f $f ]] || continue
		one_line_stanzas "$f"
	done
	shopt -u nullglob
}

# An option in brackets has the name of deb822's field, but for three that say
# nothing about sources.
one_line_stanzas() {
	awk '$1 == "deb" && !/[ \t]cdrom:/ {
		i = 2; fields = ""
		if ($i ~ /^\[/) {
			for (; i <= NF; i++) {
				opt = $i
				gsub(/[][]/, "", opt)
				if (opt ~ /=/ && opt !~ /^(arch|lang|target)[-+]?=/) {
					sub(/=/, ": ", opt)
					fields = fields opt "\n"
				}
				if ($i ~ /\]$/)
					break
			}
			i++
		}
		if (NF < i + 2 || $(i + 2) ~ /^#/)
			next
		print "Types: deb-src\nURIs: " $i "\nSuites: " $(i + 1)
		printf "Components:"
		for (j = i + 2; j <= NF && $j !~ /^#/; j++)
			printf " %s", $j
		print "\n" fields
	}' "$1"
}

# upstream VERSION: without Debian's epoch and revision.
upstream() {
	local version=${1#*:}
	version=${version%%-*}
	echo "${version%%+*}"
}

# other_revisions VERSION OPTION...: that the mirrors have of the same release.
other_revisions() {
	local version=$1 other
	shift
	apt-cache "$@" showsrc slurm-wlm | sed -n 's/^Version: //p' |
		while read -r other; do
			[[ $other == "$version" ||
				$(upstream "$other") != "$(upstream "$version")" ]] ||
				echo "$other"
		done
}

# get_source VERSION OPTION...: unpack the source package into ./slurm-wlm-*/.
# Some mirrors have nothing of it but the upstream tar, or another revision than
# the one that is installed; the tar will do: Debian's patches are about paths.
get_source() {
	local version=$1 one
	shift
	apt "$@" source "slurm-wlm=$version" && return
	rm -rf ./slurm-wlm*
	for one in "$version" $(other_revisions "$version" "$@"); do
		apt "$@" source --download-only --tar-only "slurm-wlm=$one" ||
			continue
		mkdir slurm-wlm-upstream
		tar -x --strip-components=1 -C slurm-wlm-upstream \
			-f slurm-wlm_*.orig.tar.*z*
		return
	done
	return 1
}

# fetch_source VERSION FOLDER: unpack the source package into FOLDER. apt gets
# an index of its own, so the machine's lists stay as they are.
fetch_source() {
	local version=$1 folder=$2 tmp opts
	tmp=$(mktemp -d "$cache/fetch.XXXXXX")
	mkdir -p "$tmp/parts" "$tmp/lists/partial"
	source_stanzas >"$tmp/parts/src.sources"
	[[ -s $tmp/parts/src.sources ]] ||
		die "no usable entry in /etc/apt/sources.list*"
	opts=(-o Dir::Etc::SourceList=/dev/null
		-o "Dir::Etc::SourceParts=$tmp/parts"
		-o "Dir::State::Lists=$tmp/lists"
		-o APT::Sandbox::User=root)
	apt "${opts[@]}" update ||
		say "apt-get update complained; going on with what it fetched"
	(cd "$tmp" && get_source "$version" "${opts[@]}" >fetch.log 2>&1) || {
		tail -20 "$tmp/fetch.log" >&2
		rm -rf "$tmp"
		die "no source package slurm-wlm $version at the machine's" \
			"mirrors: upgrade Slurm's packages, or give configure" \
			"--with-slurm-src and --with-slurm-build"
	}
	rm -rf "$folder"
	mv "$tmp"/slurm-wlm-*/ "$folder"
	rm -rf "$tmp"
}

# For its headers only: Slurm's 246 Makefiles take two minutes of a processor.
configure_source() {
	local src=$1 build=$2
	rm -rf "$build"
	mkdir -p "$build"
	(cd "$build" && {
		"$src/configure" --prefix=/usr --sysconfdir=/etc/slurm --no-create &&
			./config.status config.h slurm/slurm_version.h
	} >configure.log 2>&1 </dev/null) || {
		tail -20 "$build/configure.log" >&2
		die "Slurm's configure failed; see $build/configure.log"
	}
	touch "$build/.done"
}

# The version of the daemon, or where there is none, of what it would come with.
slurm_version() {
	dpkg-query -W -f '${source:Version}' slurmctld 2>/dev/null ||
		dpkg-query -W -f '${source:Version}' slurm-wlm-basic-plugins
}

slurm_headers() {
	local full version dir
	full=$(slurm_version)
	version=$(upstream "$full")
	dir=$cache/slurm-$version
	[[ $force ]] && rm -rf "$dir"
	if [[ ! -f $dir/build/.done ]]; then
		mkdir -p "$dir"
		if [[ ! -f $dir/src/META ]]; then
			say "fetching the source of Slurm $full"
			fetch_source "$full" "$dir/src"
		fi
		say "configuring Slurm $version (for its headers only)"
		configure_source "$dir/src" "$dir/build"
	fi
	say "ready: Slurm $version in $dir"
}

force='' build_only='' source_only=''
for option in "$@"; do
	case $option in
	--build-only) build_only=1 ;;
	--source-only) source_only=1 ;;
	--force) force=1 ;;
	*) die "usage: build-aux/setup.sh [--build-only | --source-only]" \
		"[--force]" ;;
	esac
done
[[ $build_only ]] || packages+=("${test_packages[@]}")
[[ ! ${ASTRAEA_SLURM-} ]] || command -v dpkg-query >/dev/null || exit 0
command -v dpkg-query >/dev/null ||
	die "this script knows Debian only; see doc/admins.md for other systems"
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
trap allow_daemons EXIT
[[ $source_only ]] || install_packages
[[ ${ASTRAEA_SLURM-} ]] || slurm_headers
