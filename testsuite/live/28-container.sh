#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# In a root of its own that has only a C library, Python and the two sockets, no
# Slurm and no configuration of it, a job is told what is left of its lease,
# reports, gets its signal and says that its checkpoint is complete.
. "$(dirname "$0")/../lib/live.sh"
. "${live_lib:?}/meanings.sh"

unshare --mount --pid --fork true 2>/dev/null || skip "no namespaces here"
[[ -x /usr/bin/python3 ]] || skip "no Python in /usr"
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=8 CheckpointGrace=5
EOT
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out
cp "${top:?}/contrib/python/sfair.py" "$out/"

cat >"$out/train.py" <<'EOT'
import os, shutil, sys, time
import sfair

assert not os.path.exists("/etc/slurm") and not shutil.which("scontrol")
assert sorted(os.listdir("/sockets")) == ["astraea", "munge"]
print("left", sfair.lease_remaining(), flush=True)
sfair.on_lease_end()
done = 0
while not sfair.lease_ending():
    time.sleep(0.1)
    done += 1
    sfair.progress(done, 1000, iter_sec=0.1)
print("saved", done, sfair.checkpointed(done), sfair.error(), flush=True)
sys.exit(85)
EOT

cat >"$out/contain" <<'EOT'
#!/bin/bash
set -e
out=$1
root=$(mktemp -d "$out/root.XXXXXX")
mount -t tmpfs none "$root"
mkdir -p "$root"/{usr/{lib,lib64,bin},out,sockets}
for name in lib lib64; do
	mount --bind "/usr/$name" "$root/usr/$name"
	ln -s "usr/$name" "$root/$name"
done
cp -L /usr/bin/python3 "$root/usr/bin/"
mount --bind "$out" "$root/out"
touch "$root"/sockets/{astraea,munge}
mount --bind "$ASTRAEA_SOCKET" "$root/sockets/astraea"
mount --bind "$ASTRAEA_MUNGE_SOCKET" "$root/sockets/munge"
unset SLURM_CONF ASTRAEA_SOCKET ASTRAEA_MUNGE_SOCKET
export SFAIR_SOCKET=/sockets/astraea SFAIR_MUNGE_SOCKET=/sockets/munge
export PATH=/usr/bin PYTHONPATH=/out PYTHONDONTWRITEBYTECODE=1
exec /usr/sbin/chroot "$root" /usr/bin/python3 /out/train.py
EOT
chmod 755 "$out/contain"

said() {
	sfair job -j "$id" --json | python3 -c '
import json, sys
for job in json.load(sys.stdin)["jobs"]:
    print((job[sys.argv[1]] or {}).get(sys.argv[2], 0))' "$@"
}
reported() { (($(said progress "done") > 0)); }
saved() { [[ $(said checkpoint step) == "$step" ]]; }

# leased SIGNAL COMMAND: such a job in its container, until a rival has its GPUs.
leased() {
	local rival step
	id=$(env -u SFAIR_SOCKET -u SFAIR_MUNGE_SOCKET -u MUNGE_SOCKET \
		sbatch --parsable -o "$out/%j" --open-mode=append --chdir=/ \
		--gres=gpu:2 --signal="$1" --requeue --wrap "$2")
	wait_for 30 job_is "$id" RUNNING
	wait_for 30 reported
	rival=$(submit --gres=gpu:2 --no-requeue --wrap 'exec sleep 1000')
	wait_for 60 job_is "$rival" RUNNING
	step=$(sed -n 's/^saved \([0-9]*\) True $/\1/p' "$out/$id")
	[[ $step ]] || fail "in its container: $(cat "$out/$id")"
	wait_for 20 saved
	grep -qE '^left [0-9.]+$' "$out/$id" || fail "$(cat "$out/$id")"
	cancel_all
}

leased B:USR1@60 "exec unshare --mount $out/contain $out"
ok the-batch-script-becomes-the-container
leased USR1@60 "srun unshare --mount $out/contain $out"
ok a-step-is-the-container
