#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The pages of compare and tune in headless Chromium: the scripts run without an
# error, each chart has its marks, within its bounds, nothing is fetched, and
# hostile names of tenants are nothing but text. Skipped where there is no
# Chromium.
#
# ASTRA_PAGES: a folder that keeps the pages and pictures of them.

set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
sim=${top_builddir:-build}/sfairsim
browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome || true)
[[ $browser ]] || {
	echo "page.sh: no Chromium here"
	exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

chrome() { # ARGUMENT... FILE
	timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
		--disable-dev-shm-usage --user-data-dir="$tmp/profile" \
		--host-resolver-rules='MAP * ~NOTFOUND' --hide-scrollbars \
		--window-size=1180,1400 --virtual-time-budget=10000 "$@"
}

# The DOM after the scripts and, in FILE.console, what they said.
show() { # FILE
	chrome --enable-logging=stderr --dump-dom "file://$1" \
		>"$1.dom" 2>"$1.log" || {
		tail -5 "$1.log"
		return 1
	}
	grep -a 'CONSOLE' "$1.log" >"$1.console" || true
}

look() { # KIND FILE RUNS
	local kind=$1 file=$2 runs=$3
	{
		# The probe may run besides the page's own script.
		sed "s/script-src 'sha256-[^']*'/script-src 'unsafe-inline'/" "$file"
		echo '<script>'
		cat "$here/page-probe.js"
		echo '</script>'
	} >"$tmp/probed-$kind.html"
	show "$tmp/probed-$kind.html"
	if [[ -s $tmp/probed-$kind.html.console ]]; then
		cat "$tmp/probed-$kind.html.console"
		failed=1
	fi
	python3 "$here/page-check.py" "$kind" \
		"$tmp/probed-$kind.html.dom" "$runs" || failed=1
	python3 - "$file" <<-'EOT' || failed=1
		import base64, hashlib, re, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		script = re.search("<script>(.*?)</script>", page, re.S).group(1)
		sha = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
		if f"script-src 'sha256-{sha}'" not in page.split("</head>")[0]:
		    sys.exit(f"page.sh: its own script, sha256-{sha}, may not run")
	EOT
	if grep -aE '(src|href)="?(https?:)?//|url\(|@import' "$file"; then
		echo "page.sh: $kind: something would be fetched"
		failed=1
	fi
	[[ ! ${ASTRA_PAGES-} ]] || {
		cp "$file" "$ASTRA_PAGES/"
		chrome --screenshot="$ASTRA_PAGES/$kind.png" \
			"file://$file" >/dev/null 2>&1
	}
}

# Twelve tenants, the first ones hostile, 240 jobs.
python3 - "$tmp/trace.csv" <<'EOF'
import csv, sys
names = ['<img src=x onerror="window.pwned=1">', '</title><script>pwned=1</script>',
         '" onmouseover="pwned=1', "'); pwned=1; ('", '&lt;b&gt;', '\u202etluafed']
names += [f"tenant{i}" for i in range(6)]
with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
    out = csv.writer(file)
    out.writerow("job_id tenant user submit_s duration_s gpus".split())
    for i in range(240):
        out.writerow([f"j{i}", names[i * 7 % 12], "u", i * 40,
                      300 + i * 137 % 5000, 1 << i % 4])
EOF

# Can it fail? A page whose script has an error, and one that runs amok.
echo '<!DOCTYPE html><body><script>nothing.of.the.kind()</script>' \
	>"$tmp/broken.html"
show "$tmp/broken.html"
if ! grep -q 'nothing is not defined' "$tmp/broken.html.console"; then
	echo "page.sh: an error in a page is not noticed"
	failed=1
fi

args=(-q --trace "$tmp/trace.csv" -N 4 --interval 10:00 --set CheckpointGrace=30)
"$sim" compare "${args[@]}" -p ltgf,fifo,slurm,tiresias \
	--html "$tmp/compare.html" >/dev/null
look compare "$tmp/compare.html" 4
"$sim" tune "${args[@]}" --terms 1:00,5:00,30:00,1:00:00,4:00:00 \
	--html "$tmp/tune.html" >/dev/null
look tune "$tmp/tune.html" 5
"$sim" tune "${args[@]}" --vary Placement=consolidated,strict \
	--html "$tmp/vary.html" >/dev/null
look Placement "$tmp/vary.html" 2
((failed)) || echo "page.sh: the pages are as they should be"
exit "$failed"
