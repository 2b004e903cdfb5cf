#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# GPU time counts by the weight of the GPU's type, and a job's weight within its
# tenant is its QOS's; both are followed while they change.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 GPUWeight=a100:3,nosuch:9 QOSWeight=high:3,nosuch:2
EOT
start_cluster --accounting --nodes 2 --gpus 8 --astraea "$conf" \
	--node 'n2 Gres=gpu:v100:8'
rm -f "$conf"
sacctmgr -i add qos high >/dev/null
for a in a b c; do
	sacctmgr -i add account name=$a >/dev/null
	sacctmgr -i add user root account=$a qos=normal,high >/dev/null
done

# of WHAT NAME FIELD: a number of a tenant or a job, from the plugin's reply.
of() {
	sfair "$1" --json 2>/dev/null | python3 -c '
import json, sys
what, name, field = sys.argv[1:]
reply = json.load(sys.stdin)
for row in reply[what + "s"]:
    if name in (row["name"], str(row.get("id"))):
        print("%g" % row[field])' "$@"
}
is() { [[ $(of "$1" "$2" "$3") == "$4" ]]; }
job() { submit --wrap 'sleep 600' "$@"; }

# ---- What is held counts by its type: 8 * 3 + 8 = 32 in all.
dear=$(job -A a --gres=gpu:a100:4)
cheap=$(job -A b --gres=gpu:v100:4)
wait_for 30 is tenant a alloc_gpus 12
wait_for 20 is tenant b alloc_gpus 4
wait_for 20 is tenant a quota_gpus "$(awk 'BEGIN { printf "%g", 32 / 3 }')"
check "a type that no node has is named" grep -q \
	'Warning .*GPUWeight: no node has GPUs of type nosuch' <<<"$(sfair diag)"
check_eq "and no other" "GPUs of type nosuch" \
	"$(grep -o 'GPUs of type [a-z0-9]*' \
		"$CLUSTER_DIR/log/slurmctld.log" | sort -u)"
check_eq "a job's GPUs are devices" 4 "$(of job "$dear" gpus)"
sfair tenant

# ---- What is asked for: by the type that is named, else what is to be
# expected, which is 2 here, until the job runs.
any=$(job -A c --gres=gpu:8 -N1)
job -A c --gres=gpu:a100:8 >/dev/null
wait_for 20 is tenant c demand_gpus $((8 * 2 + 8 * 3))
scancel "$cheap"
wait_for 20 job_is "$any" RUNNING
check_eq "node of the untyped job" n2 "$(job_field "$any" NodeList)"
wait_for 20 is tenant c demand_gpus $((8 * 1 + 8 * 3))
wait_for 20 is tenant c alloc_gpus 8

# ---- GPU time is weight times time: a job has had 12 a second, and one of 8
# cheap GPUs 8.
time_is() {
	sfair job --json | python3 -c '
import json, sys
reply = json.load(sys.stdin)
ids = {str(j["id"]): j for j in reply["jobs"]}
for name, rate in zip(sys.argv[1::2], sys.argv[2::2]):
    j = ids[name]
    had, want = j["alloc_gpu_sec"], float(rate) * (reply["time_sec"] - j["start_sec"])
    assert want > 0 and abs(had - want) < 0.01 * want, (name, had, want)
' "$@"
}
sleep 2
check "GPU time is not weight times time" time_is "$dear" 12 "$any" 8

# ---- Other weights count from the next round on.
set_conf GPUWeight a100:1.5,v100:0.5
wait_for 20 is tenant a alloc_gpus 6
wait_for 20 is tenant c alloc_gpus 4
set_conf GPUWeight none
wait_for 20 is tenant a alloc_gpus 4

# ---- QOS: of two jobs of a tenant that is entitled to less than they ask for,
# the one of weight 3 is entitled to three times as much.
scancel -u root
wait_for 20 eval '[[ -z $(squeue -h) ]]'
check "a QOS that is not there is named" grep -q 'there is no QOS nosuch' \
	<<<"$(sfair diag)"
low=$(job -A a --gres=gpu:8 -N1)
high=$(job -A a --gres=gpu:8 -N1 --qos=high)
wait_for 20 is job "$high" weight 3
check_eq "weight of QOS normal" 1 "$(of job "$low" weight)"
fair() { sfair job --json | python3 -c '
import json, sys
for j in json.load(sys.stdin)["jobs"]:
    print(j["id"], j["fair_gpu_sec"])' | sort -n | cut -d" " -f2 | xargs; }
before=$(fair)
sleep 4
after=$(fair)
awk -v b="$before" -v a="$after" 'BEGIN {
	split(a, x); split(b, y)
	low = x[1] - y[1]; high = x[2] - y[2]
	printf "fair GPU seconds: low %.2f, high %.2f\n", low, high
	exit !(low > 0 && high / low > 2.97 && high / low < 3.03) }' ||
	fail "the high job is not entitled to three times as much"

# A job that waits may change its QOS.
waits=$(job -A b --gres=gpu:8 -N1)
wait_for 20 is job "$waits" weight 1
scontrol update "jobid=$waits" qos=high
wait_for 20 is job "$waits" weight 3

# ---- Parts of GPUs where there are none.
set_conf Gres shard
no_parts() {
	grep -q 'Warning .*pool gpu: Gres=shard: no node has gres/shard' \
		<<<"$(sfair diag)"
}
wait_for 20 no_parts
ok told-that-there-are-no-shards
