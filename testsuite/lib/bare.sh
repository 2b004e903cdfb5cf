# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Folders with nothing but a release of Debian in them. Functions only:
#
#   bare_possible           end the script with 77 if no such folder can be made
#   bare_root SUITE FOLDER [PACKAGES [OPTION...]]   make such a folder, with these
#                           packages as well, and these options of mmdebstrap. If
#                           FOLDER.made exists, FOLDER is complete and stays

bare_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

bare_skip() {
	echo "SKIP: $*" >&2
	exit 77
}

bare_possible() {
	local command
	((EUID == 0)) || bare_skip "only root can make a root folder"
	for command in mmdebstrap unshare git; do
		command -v "$command" >/dev/null || bare_skip "no $command"
	done
	unshare --mount --pid --fork true 2>/dev/null ||
		bare_skip "no namespaces may be made here"
}

# Prints the mirror of Debian that this machine's apt uses.
bare_mirror() {
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Origin: Debian' 'Component: main' | head -n 1
}

bare_root() {
	local suite=$1 root=$2 uri
	[[ ! -f $root.made ]] || return 0
	uri=$(bare_mirror)
	[[ $uri ]] || bare_skip "apt knows no mirror of Debian: run apt-get update"
	rm -rf "${root:?}"
	mkdir -p "${root%/*}"
	mmdebstrap --quiet --variant=apt ${3:+--include="$3"} "${@:4}" \
		"$suite" "$root" \
		"deb [signed-by=$bare_keyring] $uri $suite main" ||
		bare_skip "$uri has no $suite"
	touch "$root.made"
}
