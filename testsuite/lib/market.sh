# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of tenants' payments: source it after live.sh.
#
#   market_cluster [OPTION]...	start a node of 4 GPUs under Policy=incentive with
#				these options of the pool, and tenants a, b and c with
#				shares 1, 2 and 1
#   credits_of TENANT		print the tenant's credits
#   are TENANT CONDITION	whether the tenant's credits satisfy it, such as '> 0'
#   why JOB			print sfair why's answer on the job, in one line

market_cluster() {
	local conf tenant
	conf=$(mktemp)
	echo "Pool=gpu Partitions=gpu Policy=incentive LendIdle=no RoundInterval=1 SlotLength=10 $*" \
		>"$conf"
	start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
	rm -f "$conf"
	for tenant in 'a 1' 'b 2' 'c 1'; do
		sacctmgr -i add account "name=${tenant% *}" \
			"fairshare=${tenant#* }" >/dev/null
		sacctmgr -i add user root "account=${tenant% *}" >/dev/null
	done
}

sfair() { "$ASTRAEA_BUILDDIR/sfair" "$@"; }

credits_of() {
	sfair tenant --json | python3 -c '
import json, sys
for t in json.load(sys.stdin)["tenants"]:
    if t["name"] == sys.argv[1]:
        print(t["credits"])' "$1"
}
are() { awk -v "x=$(credits_of "$1")" "BEGIN { exit !(x != \"\" && x $2) }"; }
why() { sfair why "$1" | tr -s '\n ' ' '; }
