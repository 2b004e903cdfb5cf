#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair on a login node: another host, without a file of Slurm's, without
# variables and without the plugin's socket. It asks slurmctld where the plugin
# answers, and believes only what slurmctld's munged has signed. What keeps it
# from an answer is named in a line.
. "$(dirname "$0")/../lib/live.sh"

unshare --mount --uts true 2>/dev/null || skip "no namespaces here"
start_cluster --nodes 1 --gpus 2 \
	--slurm SlurmctldParameters=enable_configless
port=$(sed -n 's/^SlurmctldPort=//p' "$SLURM_CONF")
ours=$((port + 1000))

# login COMMAND...: there, with the munged of $munged; $prepare is run first.
munged=munge
login() {
	unshare --mount --uts sh -c '
		dir=$1
		hostname login1
		mount -t tmpfs run /run
		mkdir /run/munge
		ln -s "$dir/run/$2.socket" /run/munge/munge.socket.2
		mount -t tmpfs state "$dir/state"
		mount -t tmpfs etc "$dir/etc"
		export SLURM_CONF_SERVER=127.0.0.1:$3
		eval "$4"
		shift 4
		exec env ${SLURM_CONF_SERVER+-u SLURM_CONF} -u SFAIR_SOCKET -u SFAIR_MUNGE_SOCKET "$@"
	' sh "$CLUSTER_DIR" "$munged" "$port" "${prepare-}" "$@"
}
login_as_other() { login "${other_user[@]}" "$@"; }

# ---- Every command, for everybody.

grep -q "^astraea .*answers=yes port=$ours " <<<"$(scontrol show bbstat)" ||
	fail "slurmctld tells $(scontrol show bbstat)"
mine=$(submit -J mine --gres=gpu:1 --wrap 'exec sleep 1000')
plain=$(submit -p cpu --wrap 'exec sleep 1000')
wait_for 20 job_is "$mine" RUNNING
leased() { [[ $(login_as_other sfair job -nP -o JobName,Phase) == "mine|leased" ]]; }
wait_for 20 leased
said=$(login sfair -v tenant 2>&1)
grep -q "^sfair: asking $(id -u)@.*:$ours: " <<<"$said" ||
	fail "it does not ask the network: $said"
check_eq "where programs ask" "SFAIR_SOCKET=$(id -u)@127.0.0.1:$ours" \
	"$(login_as_other sfair --where | grep SFAIR_SOCKET)"
for words in tenant job lease auction diag metrics "when $mine" "why $mine" \
	"why $plain" "cluster Utilization" "top -b -n 1"; do
	# shellcheck disable=SC2086
	out=$(login_as_other sfair $words 2>&1) ||
		[[ $words == cluster* && $out == *"no history"* ]] ||
		fail "sfair $words: $out"
done
! out=$(login_as_other sfair diag --reset 2>&1) || fail "a user may reset"

# ---- On slurmctld's host, where the socket's folder is closed to users.

chmod 700 "$CLUSTER_DIR/state"
alone=(env -u SFAIR_SOCKET -u SFAIR_MUNGE_SOCKET)
said=$(as_other "${alone[@]}" sfair -v job 2>&1)
grep -q "^sfair: asking .*:$ours: " <<<"$said" || fail "as a user: $said"
chmod 755 "$CLUSTER_DIR/state"

# ---- Who puts a socket in the plugin's place is not asked.

cat >"$CLUSTER_DIR/out/fake.py" <<'EOT'
import socket, struct, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
client = s.accept()[0]
client.recv(99999)
reply = b'{"astraea": 1, "request": "tenant", "tenants": []}'
client.sendall(struct.pack(">I", len(reply)) + reply)
EOT
# shellcheck disable=SC2016 # for the shell there
fake='chmod 1777 "$dir/state"
	setpriv --reuid games --regid games --clear-groups python3 \
		"$dir/out/fake.py" "$dir/state/astraea.sock" &
	echo $! >/run/fake
	while [ ! -S "$dir/state/astraea.sock" ]; do sleep 0.1; done'
beside_fake() {
	# shellcheck disable=SC2016 # for the shell there
	prepare=$fake login sh -c '"$@"; status=$?; kill "$(cat /run/fake)"
		exit $status' sh "$@"
}
said=$(beside_fake sfair -v tenant 2>&1)
grep -q "^sfair: asking .*:$ours: " <<<"$said" ||
	fail "a user's socket is asked: $said"

# ---- Munged there: none, one of another cluster, one whose clock is fast.

signs() { munge -n -S "$1" -o /dev/null 2>/dev/null; }
munged_start() { # NAME KEY [LIBRARY]
	local run=$CLUSTER_DIR/run/$1
	ASTRAEA_CLUSTER_OF=$CLUSTER_DIR LD_PRELOAD=${3-} munged --foreground \
		--key-file="$CLUSTER_DIR/etc/$2" --socket="$run.socket" \
		--pid-file="$run.pid" --seed-file="$run.seed" \
		--log-file="$run.log" >/dev/null 2>&1 &
	wait_for 20 signs "$run.socket"
}
# Without a file Slurm itself would want its munged first.
sed '/^AuthInfo=/d' "$SLURM_CONF" >"$CLUSTER_DIR/run/slurm.conf"
# shellcheck disable=SC2016 # for the shell there
file='cp "$dir/run/slurm.conf" "$dir/etc/"; export SLURM_CONF="$dir/etc/slurm.conf"; unset SLURM_CONF_SERVER'
prepare=$file
munged=none complains 'munged does not answer: .*munged' login sfair tenant
(umask 077 && head -c 128 /dev/urandom >"$CLUSTER_DIR/etc/other.key")
munged_start other other.key
munged=other complains "port $ours|:$ours: .*have another munge.key each" \
	login sfair tenant
if command -v cc >/dev/null; then
	cc -shared -fPIC -o "$CLUSTER_DIR/fast.so" -x c - <<-'EOT'
		#include <stddef.h>
		#include <time.h>
		time_t time(time_t *at)
		{
			struct timespec t;
			clock_gettime(CLOCK_REALTIME, &t);
			if (at)
				*at = t.tv_sec + 3600;
			return t.tv_sec + 3600;
		}
	EOT
	munged_start fast munge.key "$CLUSTER_DIR/fast.so"
	munged=fast complains 'the clocks of the two hosts differ' \
		login sfair tenant
fi

unset prepare

# ---- A reconfigure is not noticed: from Slurm 23.11 on slurmctld is another
# process then.

for ((i = 0; i < 4; i++)); do scontrol reconfigure && sleep 0.4; done &
again=$!
while kill -0 $again 2>/dev/null; do
	sfair tenant >/dev/null && login sfair tenant >/dev/null ||
		fail "while slurmctld is reconfigured"
done
wait $again

# Nor is one that takes 3 s, for which slurmctld answers nobody.
ctld=$(<"$CLUSTER_DIR/run/slurmctld.pid")
mv "$SFAIR_SOCKET" "$SFAIR_SOCKET.away"
kill -STOP "$ctld"
(sleep 3 && mv "$SFAIR_SOCKET.away" "$SFAIR_SOCKET" && kill -CONT "$ctld") &
again=$!
sfair tenant >/dev/null || fail "while slurmctld is reconfigured for 3 s"
wait $again

# ---- Slurmctld is reached at SlurmctldAddr alone, whichever host is in charge;
# of IPv6, where this machine has it.

host=$(hostname -s)
shared=127.0.0.1 written=127.0.0.1
cp "$SLURM_CONF" "$CLUSTER_DIR/run/before.conf"
if grep -q '^0*1 ' /proc/net/if_inet6 2>/dev/null; then
	shared=::1 written='[::1]'
	echo "CommunicationParameters=EnableIPv6" >>"$SLURM_CONF"
fi
sed -i "s/^SlurmctldHost=.*/SlurmctldHost=$host(192.0.2.1)/" "$SLURM_CONF"
echo "SlurmctldAddr=$shared" >>"$SLURM_CONF"
restart_slurmctld
wait_for 20 leased
check_eq "where programs ask" \
	"SFAIR_SOCKET=$(id -u)@$written:$ours,192.0.2.1:$ours" \
	"$(login_as_other sfair --where | grep SFAIR_SOCKET)"
said=$(login sfair -v tenant 2>&1) || fail "at SlurmctldAddr: $said"
told=$(submit --gres=gpu:1 --wrap 'echo "$ASTRAEA_ADDRESS"')
told() { [[ $(job_log "$told") == "$(id -u)@$written:$ours,192.0.2.1:$ours" ]]; }
wait_for 30 told
cp "$CLUSTER_DIR/run/before.conf" "$SLURM_CONF"
restart_slurmctld
wait_for 20 leased

# ---- The plugin is not on the network, or not there; slurmctld is down.

python3 -c '
import socket, sys, time
s = socket.socket()
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen()
time.sleep(1000)' "$((port + 999))" &
taker=$!
answered() { sfair tenant >/dev/null 2>&1; }
listen_at() { # VALUE
	sed -i '/^Listen=/d' "$CLUSTER_DIR/etc/astraea.conf"
	echo "Listen=$1" >>"$CLUSTER_DIR/etc/astraea.conf"
	restart_slurmctld
	wait_for 20 answered
}
listen_at "127.0.0.1:$((port + 999))"
complains "no such socket: slurmctld runs on $host, and .* is not on the" \
	login sfair tenant
ctld_log "error: astraea: Listen=127.0.0.1:$((port + 999)): Address already" ||
	fail "slurmctld's log does not say so"
kill $taker
listen_at no
complains "log in there, or set Listen=" login sfair tenant
complains "belongs neither to SlurmUser nor to root" beside_fake sfair tenant
sed -i -E '/^(SchedulerType|BurstBufferType|PriorityType|JobSubmitPlugins)=/d' \
	"$SLURM_CONF"
restart_slurmctld
complains 'slurmctld runs without the astraea plugin: set BurstBufferType' \
	login sfair tenant
"$live_lib/cluster" stop "$CLUSTER_DIR" slurmctld
prepare=$file complains 'no such socket, and slurmctld does not answer: start' \
	login sfair tenant
