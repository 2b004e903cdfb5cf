#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A real Prometheus that scrapes sfair metrics of a live cluster, with our rules:
# each panel of the dashboard has data, but for those of Slurm's own metrics, and
# an alert fires. One line "ok NAME" for each meaning.
# Alike with any Slurm.
# live.sh sets live_lib and top.
# shellcheck disable=SC2154
. "$(dirname "$0")/../lib/live.sh"

command -v prometheus >/dev/null || skip "there is no prometheus"
conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=2" \
	>"$conf"
start_cluster --nodes 2 --gpus 2 --cpus 8 --astraea "$conf"
rm -f "$conf"
dir=$CLUSTER_DIR/run/prometheus
mkdir -p "$dir"

free_port() {
	python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])'
}

exporter=$(free_port)
port=$(free_port)
cp "$top/contrib/prometheus/astraea.rules.yml" "$dir"
# What takes minutes there takes seconds here.
sed -i 's/for: [0-9]*[mh]/for: 1s/; s/\[5m\]/[20s]/' "$dir/astraea.rules.yml"
cat >"$dir/prometheus.yml" <<EOT
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [astraea.rules.yml]
scrape_configs:
  - job_name: sfair
    static_configs: [{targets: ["127.0.0.1:$exporter"]}]
EOT
sfair metrics --listen="127.0.0.1:$exporter" 2>"$dir/exporter.log" &
exporter_pid=$!
prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" \
	--web.listen-address="127.0.0.1:$port" >"$dir/log" 2>&1 &
prometheus_pid=$!
ends() {
	local status=$?
	end_child $exporter_pid
	end_child $prometheus_pid
	wait $exporter_pid $prometheus_pid 2>/dev/null || :
	((status == 0 || status == 77)) || tail "$dir/log" "$dir/exporter.log"
	live_end "$status"
}
trap ends EXIT

# samples EXPRESSION: how many it has now.
samples() {
	python3 -c 'import json, sys, urllib.parse, urllib.request
print(len(json.load(urllib.request.urlopen(
    "http://127.0.0.1:%s/api/v1/query?%s" % (sys.argv[1],
    urllib.parse.urlencode({"query": sys.argv[2]}))))["data"]["result"]))' \
		"$port" "$1" 2>/dev/null || echo 0
}
has_data() { [[ $(samples "$1") -gt 0 ]]; }

for _ in 1 2 3 4; do
	submit --gres=gpu:2 --signal=B:USR1@60 --wrap 'sleep 300' >/dev/null
done
wait_for 30 has_data 'astraea_up == 1'
wait_for 30 has_data 'astraea_pool_leases_granted_total >= 3'

mapfile -t panels < <("$top/testsuite/unit/test_dashboards.py" --panels)
((${#panels[@]} > 30)) || fail "${#panels[@]} expressions"
for expr in "${panels[@]}"; do
	expr=${expr//\[5m\]/[20s]}
	case $expr in
	slurm_*) [[ $(samples "$expr") == 0 ]] || fail "$expr: from where?" ;;
	*) wait_for 40 has_data "$expr" ;;
	esac
done
ok "each panel has data"

firing='ALERTS{alertstate="firing"}'
no_alert() { ! has_data "$firing"; }
wait_for 30 no_alert
ok "no alert on a good day"
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
wait_for 30 has_data 'ALERTS{alertstate="firing",alertname="AstraeaSilent"}'
ok "an alert without slurmctld"
"$live_lib/cluster" start "$CLUSTER_DIR" slurmctld
wait_for 30 no_alert
ok "and none after it"
