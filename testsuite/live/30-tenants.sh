#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tenants are sacctmgr's accounts at the level that is asked for, their weights
# are the accounts' shares, and what sacctmgr changes holds from the next round
# on, without a restart; so it is where associations are not enforced, too.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=600 CheckpointGrace=2
EOT
start_cluster --accounting --nodes 1 --gpus 6 --astraea "$conf"
rm -f "$conf"

# weights: "NAME=WEIGHT" of all tenants, sorted.
weights() {
	sfair tenant -nP --format=Tenant,Weight,Listed 2>/dev/null |
		awk -F'|' '$3 == "yes" { print $1 "=" $2 }' | sort | xargs
}
weights_are() { [[ $(weights) == "$*" ]]; }
expect() { # MESSAGE WEIGHTS: within a few rounds
	wait_for 20 weights_are "$2" || fail "$1"
}
# tenant_of ID
tenant_of() { sfair job -nP -j "$1" --format=Tenant 2>/dev/null || true; }
is_of() { [[ $(tenant_of "$1") == "$2" ]]; }

account() { sacctmgr -i add account "$@" >/dev/null; }
account name=physics fairshare=30
account name=hep parent=physics fairshare=2
account name=astro parent=physics fairshare=1
account name=chem fairshare=10
for a in hep astro chem; do
	sacctmgr -i add user root account=$a fairshare=7 >/dev/null
done

# ---- An account that jobs run under is a tenant, from its users on. Of what
# physics has, hep and astro have two parts and one.
expect "accounts with users" "astro=10 chem=10 hep=20"
sfair tenant

# ---- Shares are followed while they change.
sacctmgr -i modify account chem set fairshare=20 >/dev/null
expect "fairshare=20" "astro=10 chem=20 hep=20"
sacctmgr -i modify account chem set fairshare=0 >/dev/null
expect "fairshare=0" "astro=10 chem=0 hep=20"
check "a weight of 0 is named" grep -q 'tenant chem has weight 0' \
	<<<"$(sfair diag)"
wait_for 20 ctld_log 'astraea: tenant chem has weight 0'

# They decide who runs: 2:1 of 6 GPUs, once all jobs are there. Until then nobody
# may be due anything, of which a first job of each would be due as much: a round
# has seen them all, as one that is new to it counts from its submission on.
scontrol update partitionname=gpu state=down
for _ in 1 2 3 4 5 6; do
	last=$(submit -A hep --gres=gpu:1 --wrap 'sleep 600')
	submit -A astro --gres=gpu:1 --wrap 'sleep 600' >/dev/null
done
sleep 3
scontrol update partitionname=gpu state=up
split() { [[ $(gpus_of hep) == "$1" && $(gpus_of astro) == "$2" ]]; }
wait_for 30 split 4 2
none=$(submit -A chem --gres=gpu:1 --wrap 'sleep 600')
wait_for 20 is_of "$none" chem

# ---- fairshare=parent: the jobs are the parent's.
sacctmgr -i modify account astro set fairshare=parent >/dev/null
expect "fairshare=parent" "chem=0 hep=20 physics=10"
check_eq "GPUs of physics" 2 \
	"$(sfair tenant -nP -A physics --format=GPUs | cut -d. -f1)"
check_eq "GPUs of hep" 4 "$(sfair tenant -nP -A hep --format=GPUs | cut -d. -f1)"
sacctmgr -i modify account astro set fairshare=3 >/dev/null
expect "fairshare=3" "astro=18 chem=0 hep=12"

# ---- Another level; the jobs move to its tenants.
echo TenantLevel=1 >>"$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
expect "TenantLevel=1" "chem=0 physics=30"
check_eq "tenant of a job of hep" physics "$(tenant_of "$last")"
check_eq "GPUs of physics" 6 \
	"$(sfair tenant -nP -A physics --format=GPUs | cut -d. -f1)"
sacctmgr -i modify account physics set fairshare=5 >/dev/null
expect "fairshare of the level" "chem=0 physics=5"
sed -i 's/^TenantLevel=.*/TenantShares=account/' "$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
expect "TenantShares=account" "astro=3 chem=0 hep=2"
sed -i 's/^TenantShares=.*/TenantLevel=1/' "$CLUSTER_DIR/etc/astraea.conf"
scontrol reconfigure
expect "TenantLevel=1 again" "chem=0 physics=5"

# ---- A job that moves to another account moves to its tenant.
scontrol update "jobid=$last" account=chem
wait_for 20 is_of "$last" chem

# ---- Without enforcement accounts are tenants as well, but not those that
# somebody has made up.
scancel -u root
sed -i -E '/^AccountingStorageEnforce=/d; s/^TenantLevel=.*//' \
	"$CLUSTER_DIR/etc/slurm.conf" "$CLUSTER_DIR/etc/astraea.conf"
restart_slurmctld
sacctmgr -i modify account chem set fairshare=4 >/dev/null
expect "without enforcement" "astro=3 chem=4 hep=2"
hep=$(submit -A hep --gres=gpu:6 --wrap 'sleep 600')
wait_for 20 is_of "$hep" hep
made_up=$(submit --uid=games -A fancy --gres=gpu:1 --wrap 'sleep 600')
wait_for 20 is_of "$made_up" games
expect "an account that is made up" "astro=3 chem=4 games=1 hep=2"
check "the account is named" grep -q "account fancy of job $made_up is not" \
	<<<"$(sfair diag)"

# ---- An account that vanishes while its job runs. sacctmgr refuses that as
# long as slurmdbd knows of the job, so make it forget.
scancel "$made_up"
known_to_run() { sacct -nX -j "$1" -o State | grep >/dev/null RUNNING; }
wait_for 60 known_to_run "$hep"
check_eq "sacctmgr deletes the account of a job that runs" 1 \
	"$(sacctmgr -i delete account hep >/dev/null 2>&1; echo $?)"
cluster=$(sed -n 's/^ClusterName=//p' "$CLUSTER_DIR/etc/slurm.conf")
mariadb --no-defaults --socket="$CLUSTER_DIR/run/db.socket" slurm_acct \
	-e "update ${cluster}_job_table set time_end = time_start + 1, state = 3
		where id_job = $hep"
sacctmgr -i delete account hep >/dev/null
wait_for 20 is_of "$hep" root
check_eq "its job runs on" RUNNING "$(job_state "$hep")"
check "the account is named" grep -qE "account hep of job [0-9]+ is not in" \
	<<<"$(sfair diag)"
next=$(submit -A chem --gres=gpu:6 --wrap 'sleep 600')
wait_for 20 is_of "$next" chem
scancel "$hep"
wait_for 20 job_is "$next" RUNNING

# ---- Nor is an account named whose jobs have ended.
named() { sfair diag | grep >/dev/null "account $1 of job"; }
not_named() { ! named "$1"; }
scancel -u root
account name=gone
sacctmgr -i add user root account=gone >/dev/null
has_gone() { [[ " $(weights) " == *" gone=1 "* ]]; }
has_not_gone() { ! has_gone; }
wait_for 20 has_gone
past=$(submit -A gone --gres=gpu:1 --wrap true)
wait_for 60 job_is "$past" COMPLETED
known_to_end() { sacct -nX -j "$1" -o State | grep >/dev/null COMPLETED; }
wait_for 60 known_to_end "$past"
sacctmgr -i delete account gone >/dev/null
wait_for 20 has_not_gone
next=$(submit -A chem --gres=gpu:1 --wrap 'sleep 600')
wait_for 20 job_is "$next" RUNNING # two rounds later
wait_for 20 not_named hep
check "an account is named whose jobs have ended" not_named gone
check_eq "the log's errors about it" '' \
	"$(errors_of_ours | grep 'account gone' || true)"
