#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What accounting says of leased jobs is what they had: sacct shows each run
# once, with the first submit time, the leases and the time lost at their ends;
# sreport's GPU time is that until the jobs themselves ended, and sfair's.
. "$(dirname "$0")/../lib/live.sh"

# By the paper's order alone: with promises whose lease ends when depends on how long
# launches take.
conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu RoundInterval=1 LeaseTerm=5 CheckpointGrace=3 Promise=no
EOT
start_cluster --accounting --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
for a in a b; do
	sacctmgr -i add account name=$a >/dev/null
	sacctmgr -i add user root account=$a >/dev/null
done

# A job writes down each of its runs, from when it was given its GPUs: a launch may
# take seconds; the first is endless, the second takes $1 seconds. SIGUSR1 ends a
# run as a checkpoint, 1.5 s later.
export OUT=$CLUSTER_DIR/out
cat >"$OUT/runs" <<'EOT'
#!/bin/bash
run="$SLURM_JOB_ID $SLURM_JOB_ACCOUNT"
trap 'echo "end $run $EPOCHREALTIME" >>"$OUT/journal"' EXIT
trap 'sleep 1.5; exit 85' USR1
trap 'exit 0' TERM
began=$(squeue -h -j "$SLURM_JOB_ID" -O StartTime:20)
echo "begin $run $(date -d "$began" +%s)" >>"$OUT/journal"
((${SLURM_RESTART_COUNT:-0})) || set 100
sleep "$1" &
wait
EOT

# sreport sums up whole hours: all runs in one.
left=$((3600 - $(date +%s) % 3600))
((left > 90)) || sleep "$left"

# Each job waits for the other at its lease's end: they begin once all are there,
# and slurmctld has saved them, for which a first launch waits.
scontrol update nodename=n1 state=drain reason=order
touch "$CLUSTER_DIR/known"
begin=$(date +%s)
asked=$(submit -A a --gres=gpu:4 --signal=USR1 "$OUT/runs" 7)
plain=$(submit -A b --gres=gpu:4 "$OUT/runs" 2)
quick=$(submit -A b --gres=gpu:1 --wrap true)
first=$(job_field "$asked" SubmitTime)
wait_for 20 scontrol update "jobid=$asked" admincomment='{"by": "the site"}'
wait_for 20 slurm_has_saved
scontrol update nodename=n1 state=resume
for id in "$quick" "$plain" "$asked"; do wait_for 60 job_is "$id" COMPLETED; done

# ---- sacct: a record a run; its AdminComment says what Slurm forgets, and what
# others wrote there stays.
records() { sacct -nPX -D -j "$1" -o "$2" | paste -sd' '; }
records_are() { [[ $(records "$1" state) == "$2" ]]; }
wait_for 20 records_are "$asked" "REQUEUED COMPLETED"
wait_for 20 records_are "$plain" "PREEMPTED COMPLETED"
wait_for 20 records_are "$quick" COMPLETED
sacct -X -D -j "$asked,$plain,$quick" \
	-o jobid,account,state,submit,start,elapsedraw,admincomment%80
word="astraea:submit=$first"
site='{"by": "the site"}'
[[ $(records "$asked" admincomment) =~ \
	^"$site $word,leases=1,lost="([1-9])" $site $word,leases="([3-5])",lost="([1-9])$ ]] ||
	fail "job $asked: $(records "$asked" admincomment)"
check_eq "seconds lost stay" "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]}"
[[ $(records "$plain" admincomment) =~ leases=1,.*leases=2, ]] ||
	fail "job $plain: $(records "$plain" admincomment)"
[[ $(records "$quick" admincomment) =~ leases=1,lost=0$ ]] ||
	fail "job $quick: $(records "$quick" admincomment)"
[[ $(job_field "$asked" SubmitTime) != "$first" ]] ||
	fail "Slurm keeps the submit time by itself"

# ---- sreport: each run once. slurmdbd sums up whole hours; it is asked to do
# so for the present one, as sacctmgr cannot.
hour=$((begin / 3600 * 3600)) next=$(($(date +%s) / 3600 * 3600 + 3600))
python3 - "$hour" "$next" "$(ldd "$(command -v sacctmgr)" |
	sed -n 's/.*=> \(.*libslurmfull[^ ]*\).*/\1/p')" <<-'EOT'
	import ctypes, sys
	start, end, path = sys.argv[1:]
	lib = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
	lib.slurm_init(None)
	lib.slurmdb_connection_get.restype = ctypes.c_void_p
	conn = ctypes.c_void_p(
	    lib.slurmdb_connection_get(ctypes.byref(ctypes.c_uint16())))
	stats = ctypes.c_void_p()
	rc = lib.slurmdb_usage_roll(conn, ctypes.c_long(int(start)),
	                            ctypes.c_long(int(end)), ctypes.c_uint16(0),
	                            ctypes.byref(stats))
	lib.slurmdb_connection_close(ctypes.byref(conn))
	sys.exit(rc)
EOT
sreport -t seconds -T gres/gpu cluster AccountUtilizationByUser \
	start="$(date -d "@$hour" +%FT%T)" end="$(date -d "@$next" +%FT%T)"
sfair tenant -t seconds
for account in a b; do
	sreport=$(sreport -nP -t seconds -T gres/gpu cluster \
		AccountUtilizationByUser start="$(date -d "@$hour" +%FT%T)" \
		end="$(date -d "@$next" +%FT%T)" accounts=$account \
		format=login,used | sed -n 's/^root|//p')
	sfair=$(sfair tenant -nP -t seconds -A $account --format=Alloc)
	# Four GPUs; in two runs each end may be a second off.
	awk -v a=$account -v sreport="$sreport" -v sfair="$sfair" '
		$3 == a && $1 == "begin" { own -= 4 * $4 }
		$3 == a && $1 == "end" { own += 4 * $4 }
		END {
			printf "%s: sreport %s, sfair %s, own %.1f\n", a,
				sreport, sfair, own
			d = sreport - own; e = sreport - sfair
			exit !(d > -10 && d < 10 && e > -5 && e < 5 && own > 20)
		}' "$OUT/journal" || fail "GPU seconds of $account differ"
done
