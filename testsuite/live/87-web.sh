#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair web of a live cluster: the page in headless Chromium, where there is one,
# with names of jobs that are markup; 200 readers, and what they cost slurmctld.
# Alike with any Slurm.
#
# ASTRA_PAGES: a folder that keeps pictures of the page.
# live.sh sets live_lib and top.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/web.sh
. "$(dirname "$0")/../lib/web.sh"
web_cluster

[[ $said == *'is open to other hosts'* ]] || fail "$said"
ok "no listening beyond loopback unasked"

serve
wait_for 20 page_has "<th scope=\"row\">$first<td"
page_has '&lt;img src=x onerror=&quot;' || fail "no name of a job"
! page_has "$evil" || fail "a name is markup"
page_has 'held by its user' || fail "no reason in words"
page_has 'Fairness over time' || fail "no fairness over time"
get "${url}data.json" | python3 -c 'import json, sys
d = json.load(sys.stdin)
assert d["answers"] and d["silent_since_sec"] is None
assert {"plain-name"} <= {j["name"] for j in d["live"]["jobs"]}
assert len(d["live"]["nodes"]) == 3 and "diag" not in d["live"]
assert {r["report"] for r in d["past"]} >= {"tenant timeline"}'
get "$url" | python3 -c 'import base64, hashlib, re, sys
page = sys.stdin.read()
for script in re.findall("<script>(.*?)</script>", page, re.S):
    sha = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"sha256-{sha}" in page.split("</head>")[0], f"no sha256-{sha} in the policy"' ||
	fail "a script of the page may not run"
ok "a page, and the same as JSON"

browser=$(command -v chromium || command -v chromium-browser || :)
if [[ $browser ]]; then
	timeout 200 python3 "$top/testsuite/page/web.py" "$browser" "$url" \
		${ASTRA_PAGES:+--pictures "$ASTRA_PAGES"} ||
		fail "the page in a browser"
	ok "the page in a browser"
fi

# What 200 readers cost: of those 20 s the requests to the plugin, and the time
# that slurmctld used.
answered() {
	sfair diag --json | python3 -c 'import json, sys
print(json.load(sys.stdin)["socket"]["answered"])'
}
used_msec() {
	awk '{print ($14 + $15) * 10}' \
		"/proc/$(<"$CLUSTER_DIR/run/slurmctld.pid")/stat"
}
# measure READERS: "requests msec pages"
measure() {
	local requests msec pages
	requests=$(answered)
	msec=$(used_msec)
	pages=$(python3 - "$url" "$1" <<-'EOP'
		import sys, threading, time, urllib.request
		url, readers = sys.argv[1], int(sys.argv[2])
		until, pages = time.monotonic() + 20, []
		def read():
		    while time.monotonic() < until:
		        with urllib.request.urlopen(url, timeout=20) as r:
		            assert r.read().endswith(b"</html>\n")
		        pages.append(1)
		        time.sleep(2)
		threads = [threading.Thread(target=read) for _ in range(readers)]
		[t.start() for t in threads]
		if not readers:
		    time.sleep(20)
		[t.join() for t in threads]
		print(len(pages))
	EOP
	)
	echo "$(($(answered) - requests - 1)) $(($(used_msec) - msec)) $pages"
}
read -r none none_msec _ < <(measure 0)
read -r many many_msec pages < <(measure 200)
echo "requests to the plugin in 20 s: $none without readers, $many with 200, who read $pages pages; slurmctld used $none_msec and $many_msec ms"
((pages >= 1000)) || fail "only $pages pages"
((none <= 14 && many <= 16)) || fail "more than one request in an interval"
ok "200 readers"
stop_web
