#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# build-aux/setup.sh leaves nothing that starts at the next boot, and with
# --build-only installs no daemon; it takes Slurm's source of any revision of the
# release that is installed. Packages are made up; what enables their units
# is Debian's own helper, where the machine has it.
set -euo pipefail

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
unset ASTRAEA_SLURM # another way to set up
tools=$(mktemp -d)
trap 'rm -r "$tools"' EXIT
status=0
if ((EUID)) || ! command -v dpkg-query >/dev/null; then
	echo "SKIP: only root installs packages, and on Debian only"
	exit 77
fi

complain() {
	echo "$*"
	status=1
}

mkdir -p "$tools/bin"
cat >"$tools/bin/dpkg-query" <<'EOT'
#!/bin/bash
case $* in
*Status*) [[ -e $STANDIN/${!#} ]] && echo "install ok installed" ;;
*slurmctld) [[ -e $STANDIN/slurmctld ]] && echo 22.05.8-4 ;;
*) echo 22.05.8-4 ;;
esac
EOT
cat >"$tools/bin/apt-get" <<'EOT'
#!/bin/bash
case " $* " in
*" source "*" --tar-only slurm-wlm=22.05.8-3 "*)
	mkdir slurm
	echo "Version: 22.05.8" >slurm/META
	printf '#!/bin/sh\nmkdir slurm; ln -s /usr/bin/touch config.status\n' >slurm/configure
	chmod +x slurm/configure
	tar -cJf slurm-wlm_22.05.8.orig.tar.xz slurm
	rm -r slurm
	exit ;;
*" source "*)
	: >slurm-wlm_22.05.8-4.dsc # of what could not be fetched
	exit 100 ;;
esac
# Each package that is a daemon enables its unit, as its postinst does.
[[ " $* " == *" install "* ]] || exit 0
while [[ $1 != install ]]; do shift; done
shift
"$DPKG_ROOT/usr/sbin/policy-rc.d" && echo "daemons may start"
for p in "$@"; do
	[[ $p != -* ]] || continue
	: >"$STANDIN/$p"
	case $p in
	munge | slurmctld | slurmd | slurmdbd) unit=$p.service ;;
	mariadb-server) unit=mariadb.service ;;
	*) continue ;;
	esac
	cat >"$DPKG_ROOT/lib/systemd/system/$unit" <<-UNIT
		[Service]
		ExecStart=/bin/true
		[Install]
		WantedBy=multi-user.target
		Alias=also-$unit
	UNIT
	if command -v deb-systemd-helper >/dev/null; then
		deb-systemd-helper enable "$unit" >/dev/null
	else
		ln -s "/lib/systemd/system/$unit" "$DPKG_ROOT/$STARTS/$unit"
	fi
done
[[ ! ${STANDIN_FAILS-} ]]
EOT
cat >"$tools/bin/apt-cache" <<'EOT'
#!/bin/bash
printf 'Package: slurm-wlm\nVersion: %s\n\n' 22.05.7-9 22.05.8-3 23.02.8-1
EOT
chmod +x "$tools/bin"/*
export PATH=$tools/bin:$PATH STANDIN=$tools/packages DPKG_ROOT=$tools/root
export XDG_CACHE_HOME=$tools/cache STARTS=etc/systemd/system/multi-user.target.wants

# fresh: a machine with nothing but a daemon of its own.
fresh() {
	rm -rf "$STANDIN" "$DPKG_ROOT" "$XDG_CACHE_HOME"
	mkdir -p "$STANDIN" "$XDG_CACHE_HOME/astraea/slurm-22.05.8/build" \
		"$DPKG_ROOT/$STARTS" "$DPKG_ROOT/lib/systemd/system" \
		"$DPKG_ROOT/usr/sbin"
	: >"$XDG_CACHE_HOME/astraea/slurm-22.05.8/build/.done"
	ln -s /lib/systemd/system/own.service "$DPKG_ROOT/$STARTS/own.service"
}

# nothing_starts WHEN: but what did so before.
nothing_starts() {
	local links
	links=$(find "$DPKG_ROOT/etc/systemd/system" -type l -printf '%f\n')
	[ "$links" = own.service ] || complain "$1, enabled: ${links//$'\n'/ }"
	[ ! -e "$DPKG_ROOT/usr/sbin/policy-rc.d" ] ||
		complain "$1, policy-rc.d is left"
}

fresh
"$top/build-aux/setup.sh" >"$tools/log" 2>&1 || complain "$(cat "$tools/log")"
[ -e "$STANDIN/slurmdbd" ] || complain "slurmdbd is not installed"
nothing_starts "set up for the tests"

fresh
STANDIN_FAILS=1 "$top/build-aux/setup.sh" >"$tools/log" 2>&1 &&
	complain "a failed installation is taken for a good one"
nothing_starts "after a failed installation"

fresh
"$top/build-aux/setup.sh" --build-only >"$tools/log" 2>&1 ||
	complain "$(cat "$tools/log")"
for p in mariadb-server munge slurmctld slurmd slurmdbd; do
	[ ! -e "$STANDIN/$p" ] || complain "--build-only installs $p"
done
[ -e "$STANDIN/libslurm-dev" ] || complain "--build-only has no libslurm-dev"
nothing_starts "set up to build only"

fresh
"$top/build-aux/setup.sh" --source-only >"$tools/log" 2>&1 ||
	complain "$(cat "$tools/log")"
[ -z "$(ls "$STANDIN")" ] || complain "--source-only installs $(ls "$STANDIN")"

# The mirror has another revision than the one that is installed.
fresh
rm -r "$XDG_CACHE_HOME/astraea/slurm-22.05.8"
"$top/build-aux/setup.sh" --build-only >"$tools/log" 2>&1 ||
	complain "$(cat "$tools/log")"
[ -e "$XDG_CACHE_HOME/astraea/slurm-22.05.8/build/config.h" ] ||
	complain "the source of another revision is not taken"

"$top/build-aux/setup.sh" --bulid-only >/dev/null 2>&1 &&
	complain "an unknown option is taken"
exit "$status"
