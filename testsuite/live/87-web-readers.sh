#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair web of a live cluster: bad, slow and foreign readers; what PrivateData hides;
# slurmctld that is down.
# Alike with any Slurm.
#
# live.sh sets live_lib.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/web.sh
. "$(dirname "$0")/../lib/web.sh"
web_cluster
serve

# Readers who are slow, wrong or too many keep nobody out.
python3 - "$url" <<-'EOP'
	import concurrent.futures, socket, sys, time, urllib.parse, urllib.request
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
	def ask_badly(bad):
	    try:
	        assert b" 200 " not in ask(bad)[:20], bad[:20]
	    except OSError:
	        pass
	bad = (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nX",
	       b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n" + b"x" * 100000)
	pool = concurrent.futures.ThreadPoolExecutor(len(bad))
	asked = pool.map(ask_badly, bad)  # one of them until it is cut off
	assert b" 421 " in ask(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")[:20]
	assert b" 405 " in ask(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")[:20]
	crowd = [dial() for _ in range(300)]  # 250 may be one address's
	assert urllib.request.urlopen(sys.argv[1], timeout=20).status == 200
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
	assert silent == len(crowd), silent
	assert urllib.request.urlopen(sys.argv[1], timeout=20).status == 200
	list(asked)
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
