# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For benches that set the suite beside stock Slurm on live clusters: source
# this first. Needs root, as the live tests do.
#
#   bench_alternate COMMAND [OPTION]...	bring up a cluster with our plugins and
#			run `testsuite/bench/load.py COMMAND` on it, then the
#			same on a stock one, BENCH_TURNS times in turn, and
#			print medians and ratios. The OPTIONs are those of
#			testsuite/lib/cluster. Both variants of a turn get the
#			same jobs.

set -euo pipefail

bench_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench_cluster=$bench_here/../lib/cluster
bench_dir='' bench_results=''
bench_remove=()

# bench_remove+=(FILE...) names what is to be removed in the end.
trap bench_end EXIT
trap 'exit 1' INT TERM HUP

bench_stop() {
	[[ $bench_dir ]] || return 0
	"$bench_cluster" down "$bench_dir" >/dev/null 2>&1 || true
	rm -rf "$bench_dir"
	bench_dir=''
}

# What went wrong is in the logs.
bench_end() {
	if (($? && ${#bench_dir})); then
		"$bench_cluster" down "$bench_dir" >/dev/null 2>&1 || true
		echo "$0: failed; what is left of the cluster: $bench_dir" >&2
		bench_dir=''
	fi
	bench_stop
	rm -rf "$bench_results" "${bench_remove[@]}"
}

# What the commands map into memory: libraries and Slurm's plugins.
bench_mapped() {
	local so plugins
	plugins=$(ldd "$(command -v slurmctld)" |
		sed -n 's/.*=> \(.*\)\/libslurmfull\.so.*/\1/p')
	{
		ldd "$(command -v sbatch)" "$(command -v squeue)" |
			grep -o '/[^ ]*'
		for so in "$plugins"/{auth,cred,hash,select,gres}_*.so; do
			echo "$so"
			ldd "$so" | grep -o '/[^ ]*'
		done
	} | grep -v ':$' | xargs -r realpath | sort -u
}

# On real clusters no node's processes map the same files as a user's sbatch
# does. Here hundreds do, and while one of them waits for a CPU in the kernel's
# lock of such a file, nobody else can map it. So run a command where these are
# copies of their own.
bench_private() {
	local copies=$bench_dir/copies
	mkdir -p "$copies"
	# shellcheck disable=SC2016
	bench_mapped | unshare -m bash -c '
		copies=$1 i=0
		while read -r file; do
			cp "$file" "$copies/$((++i))" &&
				mount --bind "$copies/$i" "$file"
		done
		shift
		exec "$@"' - "$copies" "$@"
}

# bench_turn VARIANT TURN COMMAND [OPTION]...
bench_turn() {
	local variant=$1 turn=$2 command=$3
	shift 3
	bench_dir=$(mktemp -d "${TMPDIR:-/tmp}/astraea.XXXXXX")
	"$bench_cluster" up "$bench_dir" "$@" >/dev/null
	(
		# shellcheck source=/dev/null
		. "$bench_dir/env"
		bench_private "$bench_here/load.py" "$command" --variant "$variant" \
			--seed "$turn"
	) | tee -a "$bench_results" |
		sed -u "s/^/turn $turn: /" >&2
	bench_stop
}

bench_alternate() {
	local turn turns=${BENCH_TURNS:-3}
	if ((EUID)); then
		echo "$0: needs root to start Slurm's daemons; left out"
		exit 0
	fi
	bench_results=$(mktemp)
	for ((turn = 1; turn <= turns; turn++)); do
		((turn % 2)) && bench_turn ours "$turn" "$@"
		bench_turn stock "$turn" "$@" --stock
		((turn % 2)) || bench_turn ours "$turn" "$@"
	done
	"$bench_here/load.py" table <"$bench_results"
}
