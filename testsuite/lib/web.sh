# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of sfair web: source it after live.sh.
#
#   web_cluster			start a cluster with jobs, some with markup as their
#				names: job $first is plain-name, job $other is that of
#				another user, $other_name. Skips if sfair has no web
#				server; $said is sfair web's error without --allow
#   serve OPTION...		start sfair web, again if it runs; sets $url. It writes
#				to the file $log
#   stop_web			stop sfair web
#   get URL [HEADER]		print a page
#   code URL [HEADER]		print its status
#   page_has TEXT		whether the page has it

# shellcheck disable=SC2034
evil='<img src=x onerror="window.pwned=1">'
web_pid=
export no_proxy='*'

web_cluster() {
	local conf
	conf=$(mktemp)
	echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=60 CheckpointGrace=5" \
		>"$conf"
	start_cluster --nodes 3 --gpus 4 --cpus 16 --astraea "$conf"
	rm -f "$conf"
	log=$CLUSTER_DIR/log/web.log
	trap ends EXIT
	said=$(timeout 20 sfair web --listen=8817 2>&1) &&
		fail "it listens: $said"
	[[ $said != *'without libmicrohttpd'* ]] ||
		skip "sfair was built without libmicrohttpd"
	submit_named
}

# shellcheck disable=SC2034
submit_named() {
	first=$(submit --gres=gpu:4 -J 'plain-name' --requeue --wrap 'sleep 900')
	for _ in 1 2 3 4; do
		submit --gres=gpu:4 -J "$evil" --requeue --wrap 'sleep 900' >/dev/null
	done
	submit --gres=gpu:1 -J held --hold --wrap 'sleep 900' >/dev/null
	other=$(as_other sbatch --parsable --gres=gpu:2 -J '</script><b>' \
		-o /dev/null --requeue --wrap 'sleep 900')
	other_name=$(squeue -h -j "$other" -o %u)
	wait_for 30 job_is "$first" RUNNING
	wait_for 150 remembered
}
remembered() {
	sfair tenant fairness start=now-1hours end=now -nP 2>/dev/null |
		grep root >/dev/null
}

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
	end_child "$web_pid"
	live_end "$status"
}

# ask body|code URL [HEADER]: print the body or the status of any reply.
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
