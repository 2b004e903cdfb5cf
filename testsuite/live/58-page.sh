#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfair report --html on a real cluster: the page has the tenants that had GPUs,
# their jobs and their leases; filters hold; where nobody can be asked there is
# no page.
#
# ASTRA_PAGES: a folder that keeps the page.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=4 CheckpointGrace=1
EOT
start_cluster --needs minage=300 --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
export OUT=$CLUSTER_DIR/out
for a in vision speech; do
	sacctmgr -i add account name=$a fairshare=1 >/dev/null
	sacctmgr -i add user root account=$a >/dev/null
done

sacctmgr -i add account name=asr parent=speech fairshare=1 >/dev/null
sacctmgr -i add user root account=asr >/dev/null

began=$(($(date +%s) / 60 * 60))
window=("start=$(date -d "@$began" +%FT%T)" end=now)
long=$(submit -A vision --gres=gpu:4 --requeue --wrap 'sleep 7')
other=$(submit -A asr --gres=gpu:2 -J '<b>bold' --wrap 'sleep 2')
wait_for 60 job_is "$other" COMPLETED
wait_for 60 job_is "$long" COMPLETED

report() { "$ASTRAEA_BUILDDIR/sfair" report "${window[@]}" "$@"; }

# rows REPORT KEY...: of the rows of a report, sorted
rows() {
	python3 - "$OUT/replies" "$@" <<-'EOT'
		import json, sys
		path, name, *keys = sys.argv[1:]
		for reply in json.load(open(path)):
		    if reply["report"] == name:
		        for line in sorted({"|".join(str(row[k]) for k in keys)
		                            for row in reply["rows"]}):
		            print(line)
	EOT
}
# The history has both jobs, and both have ended there.
ended() {
	report --json >"$OUT/replies" 2>"$OUT/err" || return
	[[ $(rows "job fairness" id_text state | paste -sd' ') == \
		"$long|COMPLETED $other|COMPLETED" ]]
}
wait_for 90 ended

report --html="$OUT/page.html"
page=$(<"$OUT/page.html")
has() { [[ $page == *"$1"* ]]; }
check "the page is whole" has '</html>'
for a in vision asr; do check "$a is there" has "<th scope=\"row\">$a"; done
for id in "$long" "$other"; do
	check "job $id is there" has "<tr><th scope=\"row\">$id<td"
	check "the leases of job $id are there" has "<title>$id of "
done
check "names are text" has '&lt;b&gt;bold'
check "accounts are a tree" has '<th scope="row">speech/asr<td'
check "the areas are there" has 'class="area c1'
check "GPUs of the cluster" has 'in the cluster: 4'
check "leases were given" test "$(rows "job leases" number | wc -l)" -ge 1

[[ ! ${ASTRA_PAGES-} ]] || cp "$OUT/page.html" "$ASTRA_PAGES/live.html"

# Before 1980 and as long again there is no time that the plugin can be asked for.
"$ASTRAEA_BUILDDIR/sfair" report start=1980-01-01 end=now --html="$OUT/all.html"
check "a page of all time has a time before" \
	eval '! grep -q "; before " "$OUT/all.html" && grep -q "</html>" "$OUT/all.html"'

# What --json wrote is drawn as what was asked for.
report --json >"$OUT/replies"
"$ASTRAEA_BUILDDIR/sfair" report --from="$OUT/replies" --html="$OUT/again.html"
check "the same tables from a file" grep -F "<tr><th scope=\"row\">$long<td" \
	"$OUT/again.html"
check "the same tree from a file" grep -F 'speech/asr<td' "$OUT/again.html"

# A sacctmgr that hangs costs the tree, not the page.
mkdir "$OUT/bin"
printf '#!/bin/sh\nsleep 300\n' >"$OUT/bin/sacctmgr"
chmod +x "$OUT/bin/sacctmgr"
PATH=$OUT/bin:$PATH report --html="$OUT/treeless.html"
check "a page without the tree" \
	eval '! grep -q Accounts "$OUT/treeless.html" && grep -q "</html>" "$OUT/treeless.html"'

# Before this window the account had no job.
report --html="$OUT/vision.html" accounts=vision
page=$(<"$OUT/vision.html")
check "vision alone" has "<tr><th scope=\"row\">$long<td"
refute() { ! has "$1"; }
check "no job of asr" refute "<tr><th scope=\"row\">$other<td"

# ---- Nobody to ask: one line, no page, the old one untouched.
echo old >"$OUT/old.html"
status=0
SFAIR_SOCKET=$OUT/none report --html="$OUT/old.html" 2>"$OUT/err" || status=$?
check_eq "exit status" 1 "$status"
check_eq "one line" 1 "$(wc -l <"$OUT/err")"
check_eq "the old page" old "$(<"$OUT/old.html")"
