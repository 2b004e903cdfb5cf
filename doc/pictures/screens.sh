#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Make the screenshots of the documents, light and dark: sfair web, report and top, and
# the panels of Grafana's dashboard as dashboard.py draws them. They show a throw-away
# cluster with three tenants whose jobs sleep. Takes six minutes, as the charts need
# some. Needs root, Chromium, Prometheus, tmux and the build.
#
# usage: doc/pictures/screens.sh FOLDER
set -euo pipefail
umask 022

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(cd "${1?which folder gets the pictures}" && pwd)
export ASTRAEA_BUILDDIR=${ASTRAEA_BUILDDIR:-$top/build}
browser=$(command -v chromium || command -v google-chrome)
command -v tmux prometheus >/dev/null
dir=$(mktemp -d /tmp/astraea-screens.XXXXXX)
chmod 755 "$dir"
children=()

end() {
	((!${#children[@]})) || kill "${children[@]}" 2>/dev/null || true
	tmux -S "$dir/tmux" kill-server 2>/dev/null || true
	"$top/testsuite/lib/cluster" down "$dir/cluster"
	rm -rf "$dir"
}
trap end EXIT

mkdir "$dir/cluster"
"$top/testsuite/lib/cluster" up "$dir/cluster" --nodes 4 --gpus 8 --accounting \
	--slurm ClusterName=demo \
	--astraea <(sed s/LeaseTerm=12/LeaseTerm=60/ "$top/contrib/demo/astraea.conf")
# shellcheck source=/dev/null
. "$dir/cluster/env"
for account in vision:2 speech:1 biology:1; do
	sacctmgr -iQ add account "${account%:*}" fairshare="${account#*:}" >/dev/null
	for user in root games daemon; do
		sacctmgr -iQ add user $user account="${account%:*}" >/dev/null
	done
done
"$top/testsuite/lib/cluster" stop "$dir/cluster" slurmctld
"$top/testsuite/lib/cluster" start "$dir/cluster" slurmctld

# port_of LOG: the port that a server's log names, once it does.
port_of() {
	local port
	for _ in {1..100}; do
		port=$(grep -om1 'port [0-9]*$' "$1") && break
		sleep 0.2
	done
	echo "${port#port }"
}

sfair metrics --listen=127.0.0.1:0 -v >"$dir/metrics" 2>&1 &
children+=($!)
cat >"$dir/prometheus.yml" <<-EOT
	global: {scrape_interval: 2s, evaluation_interval: 2s}
	rule_files: ["$top/contrib/prometheus/astraea.rules.yml"]
	scrape_configs:
	  - job_name: sfair
	    static_configs: [{targets: ["127.0.0.1:$(port_of "$dir/metrics")"]}]
EOT
prometheus=127.0.0.1:$(python3 -c 'import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1])')
prometheus --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" \
	--web.listen-address="$prometheus" >"$dir/prometheus.log" 2>&1 &
children+=($!)

# job USER ACCOUNT NAME GPUS SECONDS: it checkpoints at once.
job() {
	local nodes=$((($4 + 7) / 8))
	setpriv --reuid "$1" --regid games --clear-groups sbatch -Q -o /dev/null \
		--chdir=/ -A "$2" -J "$3" -N "$nodes" --gres=gpu:$(($4 / nodes)) \
		--signal=B:USR1 --requeue -t 30 \
		--wrap "trap 'exit 85' USR1; sleep $5 & wait" >/dev/null
}
while read -r user account name gpus seconds count; do
	for ((i = 0; i < count; i++)); do
		job "$user" "$account" "$name" "$gpus" "$seconds"
	done
done <<-'EOT'
	root vision pretrain 16 700 1
	root vision finetune 8 500 2
	games vision eval 2 90 3
	games speech asr 4 600 3
	daemon speech sweep 1 80 6
	root biology fold 8 600 2
	daemon biology dock 1 120 6
EOT
for _ in 1 2 3 4 5; do
	job games vision eval 2 90
	job daemon speech sweep 1 80
	job daemon biology dock 2 120
	job games speech asr 4 300
	sleep 50
done

sfair web --listen=127.0.0.1:0 -v >"$dir/web" 2>&1 &
children+=($!)
sfair report --html="$dir/report.html" start=now-6minutes end=now
tmux -S "$dir/tmux" -f /dev/null new-session -d -x 110 -y 32 'sfair top'
sleep 3
tmux -S "$dir/tmux" capture-pane -e -p >"$dir/top"
"$top/doc/pictures/dashboard.py" "$top/contrib/grafana/astraea.json" \
	"http://$prometheus" 5 >"$dir/dashboard.html"
python3 -B "$top/doc/pictures/screens.py" "$browser" "$folder" \
	web="http://127.0.0.1:$(port_of "$dir/web")/" report="file://$dir/report.html" \
	top="$dir/top" dashboard="file://$dir/dashboard.html"
