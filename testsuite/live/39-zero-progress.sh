#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A job whose start-up takes longer than a lease would never get anywhere beside
# another: after two runs that saved nothing its lease is twice as long, its
# comment and sfair why say so, and it finishes.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=3 CheckpointGrace=2
EOT
start_cluster --nodes 1 --gpus 2 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out

cat >"$out/train.py" <<'EOF2'
import os, sys, time
import sfair

state = sys.argv[1]
done = int(open(state).read()) if os.path.exists(state) else 0
print("run", os.environ.get("SLURM_RESTART_COUNT", 0), "term",
      os.environ["ASTRAEA_LEASE_TERM"], flush=True)
sfair.progress(done, 10)
if os.environ["ASTRAEA_LEASE_TERM"] == "3":
    time.sleep(1000)  # it needs longer to start, however late the lease ends
while not os.path.exists(sys.argv[1] + ".go"):
    time.sleep(0.1)
while done < 10:
    time.sleep(0.05)
    done += 1
    sfair.progress(done, 10, iter_sec=0.05)
open(state, "w").write(str(done))
sfair.checkpointed(done)
EOF2
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1
rival=$(submit --gres=gpu:2 --wrap 'exec sleep 1000')
wait_for 30 job_is "$rival" RUNNING
id=$(submit --gres=gpu:2 --open-mode=append --comment='my [own] words' \
	--wrap "exec python3 $out/train.py $out/state")
comment() { squeue -h -j "$1" -o %k; }
told() { [[ $(comment "$id") == *astraea* ]]; }
wait_for 60 told
scontrol hold "$rival" # so that nobody waits for the third run to end
check_eq "its comment" 'my [own] words [astraea: 2 runs in a row saved nothing, its lease was 00:03: now it is 00:06]' \
	"$(comment "$id")"
sfair why "$id" | tr '\n' ' ' |
	grep >/dev/null ' 2 runs in a row saved nothing, .*: now it is 00:06\.' ||
	fail "sfair why: $(sfair why "$id")"
term_is() { [[ $(sfair job -j "$id" -nP -o Term) == "$1" ]]; }
wait_for 20 term_is 0:06
check_eq "the other's" "0:03|" "$(sfair job -j "$rival" -nP -o Term,Advice)"
check_eq "the other's comment" '(null)' "$(comment "$rival")"
touch "$out/state.go"
wait_for 60 job_is "$id" COMPLETED
check_eq "its runs" "run 0 term 3
run 1 term 3
run 2 term 6" "$(job_log "$id" | grep run)"
check_eq "what it has done" 10 "$(cat "$out/state")"
