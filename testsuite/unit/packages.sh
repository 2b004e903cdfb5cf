#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the packages' scripts decide: whether slurm.conf names the plugins, which
# releases of Slurm a package is for, and that astraea-rebuild leaves whole
# plugins or those that were there. testsuite/long/83-packages.sh has the rest.
set -euo pipefail

top=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
tools=$(mktemp -d)
trap 'rm -r "$tools"' EXIT
status=0

complain() {
	echo "$*"
	status=1
}

# ---- in-use -----------------------------------------------------------------------
conf=$tools/slurm.conf
in_use() { timeout 60 "$top/contrib/packages/in-use" "$conf"; }

# names LINES: slurm.conf with them names a plugin; names_none: does not.
names() {
	echo "$1" >"$conf"
	in_use >"$tools/lines" || complain "not seen: $1"
}
names_none() {
	echo "$1" >"$conf"
	! in_use >"$tools/lines" || complain "not ours: $1"
}
names 'SchedulerType=sched/astraea'
names 'schedulertype = sched/astraea # ours'
names 'BurstBufferType=burst_buffer/astraea'
names 'PriorityType="priority/ltgf"'
names 'JobSubmitPlugins=lua,astraea'
names $'ClusterName=a\nJobSubmitPlugins=\\\nastraea'
# As Slurm's parser takes them: s_p_parse_file().
names 'JobSubmitPlugins = astraea'
names $'JobSubmitPlugins\t=\tlua,astraea  '
names 'JobSubmitPlugins="lua, astraea"'
names 'JobSubmitPlugins=job_submit/astraea'
names 'JOBSUBMITPLUGINS+=astraea'
names $'JobSubmitPlugins=lua,\\  \nastraea'
names $'JobSubmitPlugins=\\ # ours\nastraea'
names $'# not this line \\\nJobSubmitPlugins=astraea'
names $'JobSubmitPlugins=astraea\r'
names $'JobSubmitPlugins=as\\traea\\'
names_none $'JobSubmitPlugins=\\\\\nastraea'
names_none 'JobSubmitPlugins=astraea2,myastraea'
names_none 'SchedulerType=sched/backfill'
names_none '# SchedulerType=sched/astraea'
names_none 'ClusterName=astraea'
names_none 'PriorityType=priority/multifactor'
printf 'Include more.conf\n' >"$conf"
printf 'A=b\nPriorityType=priority/ltgf\n' >"$tools/more.conf"
[ "$(in_use)" = "$tools/more.conf:2: PriorityType=priority/ltgf" ] ||
	complain "an included file: $(in_use || :)"
# Included files: by %c, in folders, with odd names; beside slurm.conf or beside the
# file that includes them.
mkdir -p "$tools/inc/big"
cp "$tools/more.conf" "$tools/inc/big/it's.conf"
names $'ClusterName=Big\ninclude\t'"$tools/inc/%c/it's.conf"
echo 'INCLUDE inc/big/it'\''s.conf # ours' >"$tools/inc/one.conf"
names 'Include inc/one.conf'
printf 'Include it'\''s.conf' >"$tools/inc/big/two.conf"
names 'Include inc/big/two.conf'
names_none 'Include inc/big'
names_none 'Include none.conf'

# ---- in-use and odd files: it ends, and what it cannot look at counts ----------------
mkfifo "$tools/fifo"
names_none $'Include fifo\nInclude /dev/zero'
names_none 'Include slurm.conf' # itself
repeat() { awk -v n="$1" -v line="$2" 'BEGIN { while (n--) print line }'; }
repeat 60 'Include ./slurm.conf' >"$conf"
in_use >"$tools/lines" || complain "a heap of loops is taken for none"
repeat 100000 "\\\\" >"$conf"
in_use >"$tools/lines" || complain "a line without an end is taken for none"
truncate -s 20M "$conf"
in_use >"$tools/lines" || complain "20 MiB are taken for none"
conf=$tools/none
! in_use || complain "no slurm.conf names plugins"

# ---- slurm-substvars ---------------------------------------------------------------
mkdir "$tools/bin"
cat >"$tools/bin/dpkg-query" <<'EOT'
#!/bin/sh
case $1 in
-S) echo "$OWNER: $2" ;;
-W) echo "$FULL" ;;
esac
EOT
chmod +x "$tools/bin/dpkg-query"
# ranges OWNER FULL VERSION SLURMCTLD SLURM
ranges() {
	local got
	got=$(PATH=$tools/bin:$PATH OWNER=$1 FULL=$2 \
		"$top/debian/slurm-substvars" "$3" /plugins)
	[ "$got" = "astraea:Slurmctld=$4
astraea:Slurm=$5" ] || complain "$3: $got"
}
ranges slurm-wlm-basic-plugins 24.11.5-4 24.11.5 \
	'slurmctld (>= 24.11.5~), slurmctld (<< 24.11.6~)' \
	'slurm-wlm-basic-plugins (>= 24.11~), slurm-wlm-basic-plugins (<< 24.12~)'
ranges slurm-smd 2:24.08.9-1 24.08.9 \
	'slurm-smd-slurmctld (>= 2:24.08.9~), slurm-smd-slurmctld (<< 2:24.08.10~)' \
	'slurm-smd (>= 2:24.08~), slurm-smd (<< 2:24.09~)'

# ---- the plugins alone ----------------------------------------------------------------
# As astraea-rebuild makes them, in a folder where nothing was built: what their
# sources include that is built comes first.
build=$(cd "${top_builddir:-$top/build}" && pwd)
source=$(cd "$top" && pwd)
mkdir "$tools/fresh"
sed "s,^srcdir=.*,srcdir='$source'," "$build/config.status" >"$tools/fresh/config.status"
objects=()
while read -r file; do
	file=${file#"$source/"}
	library=$(basename "${file%.c}")
	[[ $file == plugins/* ]] || library=libastraea
	objects+=("${file%/*}/${library}_so-$(basename "${file%.c}").o")
done < <(grep -rl --include='*.c' '^#include "astra_stamp.h"' "$source"/{plugins,src/slurm})
(cd "$tools/fresh" && sh config.status Makefile astra_config.h astra_fault_points.h depfiles &&
	make "${objects[@]}") >"$tools/said" 2>&1 ||
	complain "the plugins alone: $(tail -n 5 "$tools/said")"

# ---- astraea-rebuild -------------------------------------------------------------------
if ((EUID)) || ! command -v gcc nm >/dev/null; then
	exit "$status"
fi
root=$tools/root plugindir=$tools/root/plugins
mkdir -p "$plugindir" "$root/var/tmp" "$root/var/log" "$root/usr/src" \
	"$root/source/astraea-1" "$root/slurm"
sed "s,/var/,$root/var/,g; s,/usr/src,$root/usr/src,g
	s,/usr/share/astraea,$root/usr/share/astraea,g; s,/etc/,$root/etc/,g
	s,/run/lock/,$root/,g" "$top/contrib/packages/astraea-rebuild" \
	>"$root/rebuild"
cat >"$tools/bin/slurmctld" <<EOT
#!/bin/sh
echo "slurm-wlm \$(cat "$root/release")"
EOT
# A source whose plugins need the symbols that slurmctld has, or one more.
cat >"$root/source/astraea-1/configure" <<'EOT'
#!/bin/sh
[ ! -e "$STANDIN/broken" ] || exit 1
for option; do
	case $option in --with-plugindir=*) to=${option#*=} ;; esac
done
cat >Makefile <<MAKE
install-pluginDATA:
	mkdir -p \$(DESTDIR)$to
	for p in libastraea sched_astraea burst_buffer_astraea priority_ltgf \\
		job_submit_astraea; do \\
		cp $STANDIN/plugin.so \$(DESTDIR)$to/\$\$p.so || exit 1; done
MAKE
EOT
chmod +x "$tools/bin/slurmctld" "$root/rebuild" \
	"$root/source/astraea-1/configure"
tar -C "$root/source" -cJf "$root/usr/src/astraea-1.tar.xz" astraea-1
# library SOURCE: the plugin of the next build.
library() {
	echo "$1" | gcc -shared -fPIC -nostdlib -x c -o "$root/plugin.so" -
}
rebuild() {
	STANDIN=$root PATH=$tools/bin:$PATH "$root/rebuild" \
		--plugindir="$plugindir" --slurm-src="$root/slurm" \
		--slurm-build="$root/slurm" "$@" >"$tools/said" 2>&1
}
# whole RELEASE: all five are of that build, and nothing else is there.
whole() {
	local p
	for p in libastraea sched_astraea burst_buffer_astraea priority_ltgf \
		job_submit_astraea; do
		[[ $(readlink -e "$plugindir/$p.so") == \
			"$plugindir/astraea/slurm-$1_astraea-1/$p.so" ]] ||
			complain "$2: $p.so is not for $1: $(cat "$tools/said")"
	done
	[ -z "$(find "$root" -name '*.new*')$(ls "$root/var/tmp")" ] ||
		complain "$2: left: $(find "$root" -name '*.new*')"
}
fails() { ! rebuild "$@" || complain "$1: $(cat "$tools/said")"; }

library 'int astra_one;'
echo 24.11.5 >"$root/release"
fails --check
rebuild || complain "$(cat "$tools/said")"
whole 24.11.5 "first"
rebuild --check || complain "--check: $(cat "$tools/said")"

echo 24.11.6 >"$root/release"
fails --check
: >"$root/broken"
fails
whole 24.11.5 "a build that fails"
rm "$root/broken"
library 'extern int slurmctld_lacks_it; int *p = &slurmctld_lacks_it;'
fails
grep -q slurmctld_lacks_it "$tools/said" || complain "$(cat "$tools/said")"
whole 24.11.5 "a symbol that slurmctld lacks"
library 'int astra_two;'
rebuild || complain "$(cat "$tools/said")"
whole 24.11.6 "an update"

# Back again, without a source to build from: that of before is kept.
echo 24.11.5 >"$root/release"
: >"$root/broken"
rebuild || complain "$(cat "$tools/said")"
whole 24.11.5 "a downgrade"
rm "$root/broken"

# Of a package, or of "make install".
rm "$plugindir/sched_astraea.so"
: >"$plugindir/sched_astraea.so"
fails
[ ! -s "$plugindir/sched_astraea.so" ] || complain "a foreign file is replaced"
rebuild --remove || complain "$(cat "$tools/said")"
[ "$(ls "$plugindir")" = sched_astraea.so ] ||
	complain "--remove leaves $(ls "$plugindir"), or took what is not its own"
fails --chekc
exit "$status"
