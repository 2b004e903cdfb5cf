#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Ten million requests that libFuzzer thinks of do no harm to the decoder, to
# what answers, or to the table of what jobs said. FUZZ_RUNS sets another number;
# what is newly reached is added to the corpus.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
build=${ASTRAEA_BUILDDIR:-$top/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$top"

command -v clang >/dev/null || {
	echo "SKIP: there is no clang"
	exit 77
}
flags=(-g -O1 -std=gnu11 -D_GNU_SOURCE -I. -I"$build"
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
mapfile -t engine < <(find src/{model,placement,policies,engine} -name '*.c')
sources=(testsuite/fuzz/fuzz_query.c "${engine[@]}"
	src/slurm/note/{progress*,bids*,bid_files}.c
	src/proto/{answer*,bid_text,curves,encode*,query*,report*}.c
	src/proto/{select*,why*,wire}.c src/common/*.c)
echo 'int LLVMFuzzerTestOneInput(char *at, long size) { return !at & size; }' |
	clang -w "${flags[@]}" -x c - -o "$work/try" || {
	echo "SKIP: this clang has no libFuzzer"
	exit 77
}
clang "${flags[@]}" -o "$work/fuzz" "${sources[@]}" -ljansson -lpthread -lm
mkdir "$work/new"
"$work/fuzz" -runs="${FUZZ_RUNS:-10000000}" -max_len=2048 -timeout=10 \
	-rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
	-artifact_prefix="${TMPDIR:-/tmp}/astraea-fuzz-" \
	-dict=testsuite/fuzz/query.dict "$work/new" testsuite/fuzz/corpus \
	testsuite/proto-invalid
"$work/fuzz" -merge=1 -verbosity=0 testsuite/fuzz/corpus "$work/new"
