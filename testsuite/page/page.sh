#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# sfair report --html: what becomes of the file; and the page in headless
# Chromium: nothing is fetched, no script but its own runs, tables sort, nothing
# runs out of a window or a sheet of paper, whatever names may be. The browser's
# part is skipped where there is none.
#
# ASTRA_PAGES: a folder that keeps the pages and pictures of them.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
sfair=${top_builddir:-build}/sfair
browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome || true)
[[ -x $sfair ]] || {
	echo "page.sh: sfair is not built"
	exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC
failed=0
most=$((1 << 20)) # bytes of a page

complain() {
	echo "page.sh: $*"
	failed=1
}

# refused TEXT ARGUMENT...: one line that says so, exit 1, and no page.
refused() {
	local wanted=$1 got status=0
	shift
	got=$("$sfair" report "$@" 2>&1 >"$tmp/out") || status=$?
	[[ $status = 1 && $got == "sfair: error: "*"$wanted"* &&
		$got != *$'\n'* && ! -s $tmp/out ]] ||
		complain "$*: exit $status: $got"
}

# page NAME CHARTS ARGUMENT-OF-REPLIES...
page() {
	local name=$1 charts=$2 size quick=--quick
	shift 2
	python3 "$here/replies.py" "$@" >"$tmp/$name.json"
	"$sfair" report --from="$tmp/$name.json" --html="$tmp/$name.html" ||
		complain "$name: exit $?"
	size=$(stat -c %s "$tmp/$name.html")
	echo "page.sh: $name: $size bytes"
	((size < most)) || complain "$name: the page is too large"
	! grep -aE '(src|href)="?(https?:)?//|url\([^#]|@import|https?:' \
		"$tmp/$name.html" || complain "$name: something would be fetched"
	[[ $name != hostile ]] || quick=
	[[ ! $browser ]] ||
		timeout 200 python3 "$here/look.py" "$browser" \
			"$tmp/$name.html" --name "$name" --charts "$charts" \
			${quick:+"$quick"} \
			${ASTRA_PAGES:+--pictures "$ASTRA_PAGES"} || failed=1
	[[ ! ${ASTRA_PAGES-} ]] || cp "$tmp/$name.html" "$ASTRA_PAGES/"
}

page day 6 --jobs 1000 --before
page hostile 6 --hostile --tenants 10 --jobs 60 --step 600
page one 6 --tenants 1 --jobs 3 --step 3600
page none 0 --tenants 0 --jobs 0
page year 6 --tenants 100 --days 365 --step 86400 --jobs 5000 --pools 2

# The day has what was before it; the others have nothing of it.
for what in '; before [0-9]' 'is Fri 20 Nov 2026\.' '>rho before<'; do
	grep -q "$what" "$tmp/day.html" || complain "the page of a day lacks \"$what\""
	! grep -q "$what" "$tmp/one.html" || complain "a page without a time before has \"$what\""
done

# Only this script may run.
hash=$(python3 - "$tmp/day.html" <<'EOT'
import base64, hashlib, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
script = re.search("<script>(.*?)</script>", page, re.S).group(1)
print(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode())
EOT
)
grep -qF "script-src 'sha256-$hash'" "$tmp/day.html" ||
	complain "the page's policy lets another script run than its own, sha256-$hash: build-aux/embed"

# Can it fail? A page that says something, and fetches.
if [[ $browser ]]; then
	sed 's|</h1>|</h1><img src="http://x.invalid/"><p style="width:3000px">wide</p>|' \
		"$tmp/one.html" >"$tmp/bad.html"
	! python3 "$here/look.py" "$browser" "$tmp/bad.html" 2>"$tmp/said" ||
		complain "a bad page is not noticed"
	for what in "no picture" "a silent console" "not wider"; do
		grep -qF "$what" "$tmp/said" || complain "not noticed: $what"
	done
fi

# The file: replaced, whole or not at all.
echo old >"$tmp/there.html"
ln -s there.html "$tmp/link.html"
"$sfair" report --from="$tmp/one.json" --html="$tmp/link.html"
grep -q '</html>' "$tmp/there.html" || complain "a page is not replaced"
[[ -L $tmp/link.html ]] || complain "a link is not followed"
"$sfair" report --from - --html - <"$tmp/one.json" >"$tmp/stdout.html"
diff <(grep -v 'Made by' "$tmp/there.html") \
	<(grep -v 'Made by' "$tmp/stdout.html") || complain "stdout differs"
echo '[{"report": "job leases"}]' >"$tmp/bare.json"
refused "start_sec" --from "$tmp/bare.json" --html "$tmp/none-such.html"
[[ ! -e $tmp/none-such.html ]] || complain "half a page is left"
refused "$tmp/nowhere/x.html: No such file" --html="$tmp/nowhere/x.html"
refused "$tmp: Is a directory" --html="$tmp"
refused "$tmp/nothing: No such file" --from="$tmp/nothing" --html=-
refused "is not what sfair report --json" --from=<(echo '[]') --html=-
refused "line 2" --from=<(echo '[') --html=-
refused "either --html=FILE or --json" start=now-1days
refused "--html needs a value" --html
refused "unknown option --htm1" --htm1=x
refused "start=yesteryear: is no time" --html=- start=yesteryear
refused "end=now-2hours is not after start=now-1hours" --html=- start=now-1hours end=now-2hours
refused 'unknown word "nodes=a"' --html=- nodes=a
refused "accounts=: names of 1 to" --html=- accounts=
refused "--from goes with --html alone" --html=- --from=x start=now-1days
[[ -z $(find "$tmp" -name '*.tmp') ]] || complain "temporary files are left"
if [[ -e /dev/full ]]; then
	refused "No space left" --from="$tmp/one.json" --html=/dev/full
fi

[[ $browser ]] || echo "page.sh: no Chromium here"
((failed)) || echo "page.sh: the pages are as they should be"
exit "$failed"
