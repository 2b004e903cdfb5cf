#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The plugins come to a busy cluster whose users have read nothing: 200 jobs of 20
# users in five accounts on 8 nodes of 4 GPUs, none of which declares a checkpoint.
# A lease's term of 10 s stands for half an hour, the eight minutes that are looked at
# for a day. No job of an account within its share is interrupted. As many GPUs are used
# as by stock Slurm, which has the same jobs before, but for a fiftieth, and as many of the
# jobs with all GPUs of a node run, but for a fifth. Each account has what is due to it,
# but for 15 %. About twenty minutes.
#
# ADOPTION_SEED  which jobs [1]
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/stock-and-ours.sh
. "$live_lib/stock-and-ours.sh"

comes=60 lasts=480 # seconds after the first job, and after the plugins
conf=$(mktemp)
echo "Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=10 CheckpointGrace=2" \
	>"$conf"
echo Unprepared=share >>"$conf"
start_cluster --needs 'weight=no older=no' --nodes 8 --gpus 4 --accounting \
	--astraea "$conf"
rm "$conf"
users=(daemon bin sys games man lp mail news uucp proxy www-data backup list irc
	_apt nobody sync slurm messagebus munge)
accounts=(a b c d e)
for i in "${!users[@]}"; do
	id "${users[i]}" >/dev/null || skip "no user ${users[i]}"
	account=${accounts[i % 5]}
	((i >= 5)) || sacctmgr -i -Q add account "$account" >/dev/null
	sacctmgr -i -Q add user "${users[i]}" account="$account" >/dev/null
done
stock_and_ours
out=$CLUSTER_DIR/out
cat >"$out/job" <<'EOT'
#!/bin/bash
for ((i = 0; i < $1; i++)); do
	echo "${SLURM_RESTART_COUNT-0} $i" >>"$2/steps.$SLURM_JOB_ID"
	sleep 1
done
EOT
chmod 755 "$out/job"

# Who submits what when, a line each: SECOND USER GPUS SECONDS.
python3 - "${ADOPTION_SEED-1}" "${users[@]}" >"$out/plan" <<'EOT'
import random, sys
random.seed(int(sys.argv[1]))
for n in range(200):
    user = n % 20
    print(int(random.uniform(0, 180)), sys.argv[2 + user],
          random.choice((1, 1, 1, 2, 2, 4)), random.randint(20, 160))
EOT
sort -n "$out/plan" -o "$out/plan"

# submit_all: as the plan has it, from now on.
submit_all() {
	local begin=$EPOCHSECONDS at user gpus seconds
	while read -r at user gpus seconds; do
		while ((EPOCHSECONDS < begin + at)); do nap .2; done
		setpriv --reuid "$user" --clear-groups --regid nogroup \
			sbatch -Q --chdir=/ -o /dev/null --gres="gpu:$gpus" -J "$gpus" \
			-t $((seconds / 60 + 1)) "$out/job" "$seconds" "$out" >/dev/null
	done <"$out/plan"
}

# watch FILE: each second what squeue says: SECOND JOB ACCOUNT STATE GPUS
watch() {
	local end=$((EPOCHSECONDS + lasts))
	while ((EPOCHSECONDS < end)); do
		command squeue -h -t PD,R -o "$EPOCHSECONDS %A %a %T %j" >>"$1" || :
		nap 1
	done
}

# run WHAT: the jobs under it.
run() {
	change stock TERM
	submit_all &
	submits=$!
	nap "$comes"
	[[ $1 == stock ]] || change "$1" TERM
	watch "$out/$1"
	wait "$submits"
	printf '%s\n' "${accounts[@]}" | xargs -I{} scancel -A {}
	wait_for 60 no_jobs
}
no_jobs() { [[ ! $(squeue -h -o %A) ]]; }

on_failure() {
	cat "$out/table" || :
}

run stock
rm -f "$out"/steps.*
run ours

python3 - "$out/stock" "$out/ours" >"$out/table" <<'EOT' || fail "see the table"
import collections, sys

GPUS = 32

def seconds(path):
    """[{job: (account, runs, gpus)}], a row a second that squeue answered."""
    rows = collections.OrderedDict()
    for line in open(path):
        at, job, account, state, gpus = line.split()
        rows.setdefault(int(at), {})[job] = (
            account, state == "RUNNING", int(gpus))
    return list(rows.values())

def held(row):
    had = collections.Counter()
    for account, runs, gpus in row.values():
        had[account] += gpus * runs
    return had

def due(row):
    """Shares of equal weight; what one does not ask for is the others'."""
    wants = collections.Counter()
    for account, _, gpus in row.values():
        wants[account] += gpus
    shares, left = {}, GPUS
    for n, account in enumerate(sorted(wants, key=wants.get)):
        shares[account] = min(wants[account], left / (len(wants) - n))
        left -= shares[account]
    return shares

def used(rows):
    return sum(sum(held(row).values()) for row in rows) / len(rows) / GPUS

stock, ours = map(seconds, sys.argv[1:])
had, owed = collections.Counter(), collections.Counter()
harmed, moved = [], 0
for before, row in zip(ours, ours[1:]):
    shares = due(before)
    had.update(held(before))
    owed.update(shares)
    for job, (account, runs, gpus) in before.items():
        if runs and job in row and not row[job][1]:
            moved += 1
            if held(before)[account] <= shares[account]:
                harmed.append(job)
bad, ran = bool(harmed), {}
for account in sorted(owed):
    ratio = had[account] / owed[account]
    print(f"account {account}: had {had[account]:.0f}, due {owed[account]:.0f} "
          f"GPU seconds: {ratio:.2f}")
    bad |= abs(ratio - 1) > 0.15
print(f"interrupted: {moved}; within their account's share: {harmed or 'none'}")
print(f"GPUs used: ours {used(ours):.3f}, stock {used(stock):.3f}")
for name, rows in (("ours", ours), ("stock", stock)):
    whole = {j: False for row in rows for j, x in row.items() if x[2] == 4}
    for row in rows:
        whole.update({j: True for j, x in row.items() if x[2] == 4 and x[1]})
    ran[name] = sum(whole.values())
    print(f"{name}: {ran[name]} of {len(whole)} jobs with a whole node ran")
bad |= ran["ours"] < 0.8 * ran["stock"]
bad |= used(ours) < used(stock) - 0.02
sys.exit(bad)
EOT
cat "$out/table"
ok the-first-day-harms-nobody
lost=$(awk 'seen[FILENAME, $2]++ { n++ } END { print n + 0 }' "$out"/steps.*)
echo "steps done twice: $lost of $(cat "$out"/steps.* | wc -l)"
