#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# TLSType=tls/s2n (Slurm 25.05): leases end and come again, jobs say how far they
# are, nodes are asked after a kill of slurmctld, and sfair asks over TCP.
. "$(dirname "$0")/../lib/live.sh"

plugins=$(ldd "$(command -v slurmctld)" |
	sed -n 's/.*=> \(.*\)\/libslurmfull[^\/]*\.so.*/\1/p')
[[ -e $plugins/tls_s2n.so ]] ||
	skip "Slurm $(slurm_version) is without tls/s2n"
command -v openssl >/dev/null || skip "no openssl, for certificates"

files=$(mktemp -d)
keys() { openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" "${@:2}" \
	2>"$files/openssl"; }
keys ca -x509 -keyout "$files/ca_key.pem" -out "$files/ca_cert.pem" -days 2
for name in ctld slurmd; do
	keys $name -keyout "$files/${name}_cert_key.pem" -out "$files/asks"
	openssl x509 -req -in "$files/asks" -CA "$files/ca_cert.pem" \
		-CAkey "$files/ca_key.pem" -CAcreateserial -days 2 \
		-out "$files/${name}_cert.pem" 2>"$files/openssl"
done
chmod 600 "$files"/{ctld,slurmd}_*.pem
chmod 644 "$files/ca_cert.pem"
cat >"$files/astraea.conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=6 CheckpointGrace=3
EOT
start_cluster --nodes 2 --gpus 2 --slurm TLSType=tls/s2n \
	--astraea "$files/astraea.conf" \
	--file "$files/ca_cert.pem" \
	--file "$files/ctld_cert.pem" --file "$files/ctld_cert_key.pem" \
	--file "$files/slurmd_cert.pem" --file "$files/slurmd_cert_key.pem"
rm -r "$files"
port=$(sed -n 's/^port=//p' "$CLUSTER_DIR/settings")
speaks_tls() { openssl s_client -connect "127.0.0.1:$port" -brief </dev/null \
	2>&1 | grep >/dev/null 'CN = ctld'; }
check "slurmctld speaks no TLS" speaks_tls

# ---- Leases: signal, exit code, requeue, steps on two nodes.

turn='trap "exit 85" USR1; srun -N2 true; sleep 1000 & wait'
one=$(submit -N2 --gpus-per-node=2 --signal=B:USR1@60 --wrap "$turn")
two=$(as_other sbatch --parsable -o /dev/null --chdir=/ -N2 \
	--gpus-per-node=2 --signal=B:USR1@60 --wrap "$turn")
came_again() { (($(job_field "$1" Restarts) >= 1)); }
wait_for 60 came_again "$one"
wait_for 60 came_again "$two"
ok leases
scancel "$one" "$two"

# ---- A kill of slurmctld: nodes are asked for the job, which runs on.

export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1
says="import sfair, time
while True:
    sfair.progress(1, 1000, iter_sec=0.5)
    time.sleep(1)"
id=$(submit --gpus=1 --agent --wrap "exec python3 -c '$says'")
says_how_far() { [[ $(sfair job -j "$id" --json | python3 -c '
import json, sys
said = json.load(sys.stdin)["jobs"][0]["progress"] or {}
print(said.get("done"))' 2>/dev/null) == 1 ]]; }
wait_for 30 says_how_far
restart_slurmctld KILL
asked() { ctld_log 'astraea: .* nodes are asked for the jobs'; }
wait_for 30 asked
wait_for 30 says_how_far
check_eq "restarts of $id" 0 "$(job_field "$id" Restarts)"
ok restart

# ---- Queries over TCP are signed by munge, and no RPC of Slurm's.

ask() { env SFAIR_SOCKET="$(id -u)@127.0.0.1:$((port + 1000))" sfair "$@"; }
check_eq "over TCP" running "$(ask job -j "$id" -nP -o State |
	tr '[:upper:]' '[:lower:]')"
scontrol reconfigure
wait_for 20 says_how_far
ok queries
