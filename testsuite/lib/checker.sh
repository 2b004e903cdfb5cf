# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Run slurmctld under a checker of memory or threads. Sourced by cluster and
# live.sh; ASTRAEA_CHECKER says which one:
#
#   asan      AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer in
#             libastraea and the plugins; slurmctld itself is as installed
#   tsan      ThreadSanitizer in the same parts
#   valgrind  memcheck over all of slurmctld
#
# A checker's reports go to DIR/log/checker.*. But those of UBSan, if it runs
# together with ASan, go to slurmctld's stderr, DIR/log/slurmctld.out, as only ASan
# heeds log_path. When the cluster ends, checker-report judges both.
#
# $patience: all waits are multiplied by it.

checker_lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# shellcheck disable=SC2034
case ${ASTRAEA_CHECKER-} in
'') patience=2 ;;
asan | tsan)
	patience=6
	unset LD_PRELOAD # sanitizers must be first, and see crashes themselves
	;;
valgrind) patience=12 ;;
*)
	echo "ASTRAEA_CHECKER=$ASTRAEA_CHECKER: asan, tsan or valgrind" >&2
	exit 1
	;;
esac

# Sets the build folder to that of the checker's variant. Commands are checked, too,
# and fail if they leak; leaks of libraries do not count.
checker_build() {
	local leaks=$checker_lib/leaks-of-libraries
	[[ ${ASTRAEA_CHECKER-} != asan ]] ||
		export LSAN_OPTIONS="suppressions=$leaks:print_suppressions=0"
	case ${ASTRAEA_CHECKER-} in
	asan | tsan)
		ASTRAEA_BUILDDIR=$("$checker_lib/variant" "$ASTRAEA_CHECKER")
		export ASTRAEA_BUILDDIR
		;;
	esac
}

# checker_command DIR [PRELOAD]: sets $checker, the command to run slurmctld with.
# Slurm is built without frame pointers, hence fast_unwind_on_malloc=0.
checker_command() {
	local log=$1/log/checker preload=${2-}
	# shellcheck disable=SC2034
	case ${ASTRAEA_CHECKER-} in
	asan)
		preload="$(checker_runtime asan) $(checker_runtime ubsan) $preload"
		checker=(env LD_PRELOAD="$preload"
			ASAN_OPTIONS="log_path=$log:fast_unwind_on_malloc=0"
			UBSAN_OPTIONS="log_path=$log:print_stacktrace=1")
		;;
	tsan)
		checker=(env LD_PRELOAD="$(checker_runtime tsan) $preload"
			TSAN_OPTIONS="log_path=$log")
		;;
	valgrind)
		checker=(env ${preload:+LD_PRELOAD="$preload"} valgrind
			"--log-file=$log.%p" --leak-check=full
			--show-leak-kinds=definite --num-callers=30
			--keep-debuginfo=yes)
		;;
	*)
		preload+=${LD_PRELOAD:+ $LD_PRELOAD}
		checker=(env ${preload:+LD_PRELOAD="$preload"})
		;;
	esac
}

# Prints the path of the runtime that gcc links.
checker_runtime() { readlink -f "$(gcc -print-file-name="lib$1.so")"; }
