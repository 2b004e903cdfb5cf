#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# sfairsim takes its jobs from a live cluster's accounting: all users' GPU jobs
# that have ended, each once, however often it was requeued; the rest is
# counted. What it reads is what sacct says in the text that it prints for
# people, too.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=5 CheckpointGrace=1
EOT
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
for a in a b; do
	sacctmgr -i add account name=$a >/dev/null
	sacctmgr -i add user root account=$a >/dev/null
	sacctmgr -i add user games account=$a >/dev/null
done

# A job whose lease ends while another one waits: two runs, three with bad luck.
export OUT=$CLUSTER_DIR/out
cat >"$OUT/runs" <<'EOT'
#!/bin/bash
((${SLURM_RESTART_COUNT:-0})) || set 100
sleep "$1"
EOT
begin=$(date +%s)
lease=$(submit -A a --gres=gpu:4 "$OUT/runs" 2)
other=$(submit -A b --uid=games --gres=gpu:2 -t 7 --wrap 'sleep 2')
array=$(submit -A b --gres=gpu:1 --array=1-2 --wrap 'srun true; sleep 1')
plain=$(submit -A b --wrap 'sleep 1')
for id in "$plain" "$other" "$lease"; do wait_for 90 job_is "$id" COMPLETED; done
running=$(submit -A a --gres=gpu:1 --wrap 'sleep 600')
wait_for 30 job_is "$running" RUNNING

# records ID FIELD: of each run, in a line
records() { sacct -nPX -D -j "$1" -o "$2" | paste -sd' '; }
state_is() { [[ $(records "$1" state) =~ ^$2$ ]]; }
wait_for 30 state_is "$lease" '.* COMPLETED'
wait_for 30 state_is "$array" "COMPLETED COMPLETED"
wait_for 30 state_is "$running" RUNNING
wait_for 30 state_is "$plain" COMPLETED

# read_trace [ARGUMENT...]: into $OUT/jobs.csv
read_trace() {
	"$ASTRAEA_BUILDDIR/sfairsim" run --from-slurmdbd --nodes 1 --gpus 4 \
		--jobs-csv - "$@" >"$OUT/jobs.csv" 2>"$OUT/err"
}
start=$(date -d "@$begin" +%FT%T)
read_trace "start=$start" end=now || fail "$(<"$OUT/err")"
cat "$OUT/jobs.csv" "$OUT/err"
sacct -X -D -S "$start" -o jobid,user,account,submit,start,elapsed,state,alloctres%40

check_eq "jobs" "$(printf '%s\n' "$lease" "$other" "${array}_1" "${array}_2" |
	sort)" "$(sed 1d "$OUT/jobs.csv" | cut -d, -f1 | sort)"
# csv ID COLUMN
csv() {
	awk -F, -v id="$1" -v name="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
		$1 == id { print $c }' "$OUT/jobs.csv"
}
runs=$(records "$lease" elapsedraw)
check "the first run was cut short: $runs" test "${runs% *}" != "$runs"
check_eq "duration of all runs" "$((${runs// /+}))" "$(csv "$lease" duration_sec)"
check_eq "GPUs" "4 2 1" \
	"$(csv "$lease" gpus) $(csv "$other" gpus) $(csv "${array}_2" gpus)"
check_eq "tenants" "a b" "$(csv "$lease" tenant) $(csv "$other" tenant)"
check_eq "users" "root games" "$(csv "$lease" user) $(csv "$other" user)"
# A job counts as submitted once it is eligible, which may be a second later.
submits=$(sacct -nPX -j "$other" -o eligible)
first=$(sacct -nPX -D -j "$lease" -o eligible | sort | head -n 1)
check_eq "submission of $other" \
	"$(($(date -d "$submits" +%s) - $(date -d "$first" +%s)))" \
	"$(csv "$other" submit_sec)"
check "a job that runs is counted" \
	grep -q "1 line left out: had not ended (.*job_id=$running)" "$OUT/err"
check "a job without GPUs is counted" \
	grep -q '1 line left out: no GPU asked for' "$OUT/err"

# ---- What goes wrong is said in sacct's words, and nothing is printed.
if read_trace start=yesteryear; then fail "start=yesteryear was taken"; fi
cat "$OUT/err"
check "sacct's words" grep -q '^sfairsim: error: sacct failed: .*yesteryear' \
	"$OUT/err"
check_eq "output" 0 "$(wc -c <"$OUT/jobs.csv")"
if read_trace start=2001-01-01 end=2001-01-02; then fail "no job, no error"; fi
check "no job" grep -q '^sfairsim: error: sacct: there is no job' "$OUT/err"
