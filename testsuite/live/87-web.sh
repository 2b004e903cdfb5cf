#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair web of a live cluster: the page in headless Chromium, where there is one,
# with names of jobs that are markup; what PrivateData hides; 200 readers, and
# what they cost slurmctld; bad, slow and foreign readers; slurmctld that is down.
# Alike with any Slurm.
#
# ASTRA_PAGES: a folder that keeps pictures of the page.
# live.sh sets live_lib and top.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

export no_proxy='*'
conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=60 CheckpointGrace=5" \
	>"$conf"
start_cluster --nodes 3 --gpus 4 --cpus 16 --astraea "$conf"
rm -f "$conf"
log=$CLUSTER_DIR/log/web.log
web_pid=

# serve OPTION...: begin anew; url is where.
serve() {
	[[ ! $web_pid ]] || stop_web
	: >"$log"
	sfair web --listen=127.0.0.1:0 --interval=2 "$@" 2>"$log" &
	web_pid=$!
	wait_for 20 listens
	url=http://127.0.0.1:$(sed -n 's/.*listening on .* port //p' "$log")/
}
listens() { grep 'listening on' "$log" >/dev/null; }
stop_web() {
	kill "$web_pid"
	wait "$web_pid" || fail "sfair web ended with $?: $(<"$log")"
	web_pid=
}
ends() {
	local status=$?
	[[ ! $web_pid ]] || kill "$web_pid" 2>/dev/null || :
	live_end "$status"
}
trap ends EXIT
said=$(timeout 20 sfair web --listen=8817 2>&1) && fail "it listens: $said"
[[ $said != *'without libmicrohttpd'* ]] ||
	skip "sfair was built without libmicrohttpd"
[[ $said == *'is open to other hosts'* ]] || fail "$said"
ok "no listening beyond loopback unasked"

# ask body|code URL [HEADER]: of a reply, whatever it says.
ask() {
	python3 - "$@" <<-'EOP'
		import sys, urllib.error, urllib.request
		what, url, *headers = sys.argv[1:]
		request = urllib.request.Request(
		    url, headers=dict(h.split(": ", 1) for h in headers))
		try:
		    reply = urllib.request.urlopen(request, timeout=20)
		except urllib.error.HTTPError as error:
		    reply = error
		except OSError as error:
		    sys.exit(f"{url}: {error}")
		print(reply.read().decode() if what == "body" else reply.status)
	EOP
}
get() { ask body "$@"; }
code() { ask code "$@"; }
page_has() { [[ $(get "$url") == *"$1"* ]]; }

evil='<img src=x onerror="window.pwned=1">'
first=$(submit --gres=gpu:4 -J 'plain-name' --requeue --wrap 'sleep 900')
for _ in 1 2 3 4; do
	submit --gres=gpu:4 -J "$evil" --requeue --wrap 'sleep 900' >/dev/null
done
submit --gres=gpu:1 -J held --hold --wrap 'sleep 900' >/dev/null
other=$(as_other sbatch --parsable --gres=gpu:2 -J '</script><b>' -o /dev/null \
	--requeue --wrap 'sleep 900')
other_name=$(squeue -h -j "$other" -o %u)
wait_for 30 job_is "$first" RUNNING
remembered() {
	sfair tenant fairness start=now-1hours end=now -nP 2>/dev/null |
		grep root >/dev/null
}
wait_for 150 remembered
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
    assert f"sha256-{sha}" in page.split("</head>")[0], f"SCRIPT_HASH: {sha}"' ||
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

# Readers who are slow, wrong or too many keep nobody out.
python3 - "$url" <<-'EOP'
	import socket, sys, time, urllib.parse, urllib.request
	at = urllib.parse.urlparse(sys.argv[1])
	def dial():
	    return socket.create_connection((at.hostname, at.port), 60)
	def ask(data):
	    s = dial()
	    s.sendall(data)
	    s.shutdown(socket.SHUT_WR)
	    reply = b""
	    while part := s.recv(65536):
	        reply += part
	    return reply
	for bad in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nX",
	            b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n" + b"x" * 100000):
	    try:
	        assert b" 200 " not in ask(bad)[:20], bad[:20]
	    except OSError:
	        pass
	assert b" 421 " in ask(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")[:20]
	assert b" 405 " in ask(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")[:20]
	crowd = [dial() for _ in range(200)]
	drip = dial()
	begin = time.monotonic()
	gone = 0
	while time.monotonic() - begin < 50:  # a byte a second
	    try:
	        drip.sendall(b"G" if not gone else b"")
	        drip.settimeout(1)
	        if not drip.recv(1):
	            break
	    except TimeoutError:
	        continue
	    except OSError:
	        break
	took = time.monotonic() - begin
	assert 20 < took < 45, took
	silent = 0
	for s in crowd:
	    s.settimeout(1)
	    try:
	        silent += not s.recv(1)
	    except OSError:
	        silent += 1
	assert silent == 200, silent
	assert urllib.request.urlopen(sys.argv[1], timeout=20).status == 200
EOP
ok "bad and slow readers"

foreign=$({ ip -o addr show scope global 2>/dev/null || :; } |
	awk '$4 !~ /:/ && !n++ {sub("/.*", "", $4); print $4}')
if [[ $foreign ]]; then
	serve --listen=0.0.0.0:0 --allow=198.51.100.0/24
	check_eq "this host" 200 "$(code "$url")"
	! get "${url/127.0.0.1/$foreign}" >/dev/null 2>&1 ||
		fail "a host that is not allowed is answered"
	grep "refused $foreign" "$log" >/dev/null || grep "refused ::ffff:$foreign" \
		"$log" >/dev/null || fail "it is not said whom it refused: $(<"$log")"
	serve --listen=0.0.0.0:0 --allow="198.51.100.0/24,$foreign"
	check_eq "a host that is allowed" 200 "$(code "${url/127.0.0.1/$foreign}")"
	check_eq "another name" 421 "$(code "$url" 'Host: evil.example')"
	ok "hosts and names that are not allowed"
fi

# By root, who sees all.
serve
page_has "$other_name" || fail "no other user"
echo 'PrivateData=jobs,usage' >>"$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
hides() { page_has 'No job with GPUs is shown' && page_has 'No tenants are shown'; }
wait_for 30 hides
# shows PATTERN: what of it is on the page, or in the JSON.
shows() {
	{ get "$url" && get "${url}data.json"; } | grep -oE ".{0,60}($1).{0,40}" || :
}
names="plain-name|$other_name|pwned"
check_eq "PrivateData" "" "$(shows "$names")"
serve # what it knows of the past is asked for again
check_eq "PrivateData from the begin" "" "$(shows "$names|[>\"]root")"
page_has 'a job that is not shown' || fail "no GPUs in use"
sed -i '/^PrivateData/d' "$CLUSTER_DIR/etc/slurm.conf"
scontrol reconfigure
wait_for 30 page_has plain-name
ok "what PrivateData hides"

"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
down() { [[ $(code "$url") == 503 ]]; }
wait_for 30 down
page_has 'does not answer</b>' || fail "nothing is said"
page_has 'What stands below is of ' || fail "no time of the last state"
page_has plain-name || fail "no last state"
check_eq "JSON" 503 "$(code "${url}data.json")"
serve
check_eq "before any state" 503 "$(code "$url")"
page_has 'no state is known yet' || fail "nothing is said"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
up() { [[ $(code "$url") == 200 ]]; }
wait_for 30 up
grep 'the plugin answers again' "$log" >/dev/null || fail "$(<"$log")"
stop_web
ok "slurmctld that is down"
