#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Policy=themis on real daemons: an app's agent is told how the app stands and
# bids for it; what it says of its jobs' order is obeyed; others' bids, and what
# is no bid, are refused with the reason; sfair auction shows it all. A file may
# tell what GPUs do for an app.
# Alike with any Slurm.
. "$(dirname "$0")/../lib/live.sh"

conf=$(mktemp)
cat >"$conf" <<-EOT
	Pool=gpu Partitions=gpu Policy=themis FairnessKnob=0.5
	RoundInterval=1
	LeaseTerm=60
	CheckpointGrace=3
EOT
start_cluster --nodes 1 --gpus 4 --astraea "$conf"
rm -f "$conf"
out=$CLUSTER_DIR/out
export PYTHONPATH=$CLUSTER_DIR/astraea PYTHONDONTWRITEBYTECODE=1

# agent CODE...: with sfair imported; prints what a refusal says.
cat >"$out/agent.py" <<'EOT'
import json, os, sys
import sfair
try:
    exec(sys.argv[1])
except sfair.Refused as why:
    print(why.code, why)
EOT
chmod 644 "$out/agent.py"
agent() { "${@:2}" python3 "$out/agent.py" "$1"; }

# raw JSON: sent as it is, whatever it says.
raw() {
	agent "place = sfair.Place(os.environ)
json.dumps = lambda *a, **b: '''$1'''
print(sfair.exchange(place, dict(request='bid'))['app']['bid_sec'])" "${@:2}"
}

# ---- An app of two jobs that wait: its agent bids, and says who goes first.

filler=$(submit --gres=gpu:4 --no-requeue --wrap 'exec sleep 1000')
wait_for 30 job_is "$filler" RUNNING
first=$(submit --app=search --gres=gpu:4 --wrap 'exec sleep 1000')
second=$(submit --app=search --gres=gpu:4 --wrap 'exec sleep 1000')
other=$(as_other sbatch --hold --parsable -o /dev/null --chdir=/ --gres=gpu:2 \
	--wrap 'exec sleep 1000')
offered() {
	[[ $(agent 'print(len(sfair.offer("search")["jobs"]))') == 2 ]]
}
wait_for 30 offered
check_eq "the offer" "search root None estimate" "$(agent '
app = sfair.offer(job='"$first"')["app"]
print(app["app"], app["user"], app["bid_sec"], app["bid"])')"
agent 'print(sfair.bid(app="search", rho={"slot": [8, 6, 4, 2]},
	jobs=['"$second, $first"'])["app"]["bid_sec"] > 0)' | grep >/dev/null -x True ||
	fail "the bid was not taken"
shown() {
	[[ $(agent 'app = sfair.offer("search")["app"]
print(app["bid"], app["gpus_max"])') == "agent "* ]]
}
wait_for 30 shown

# ---- Who may bid, and with what.

rho='"rho":{"slot":[1]}'
head='{"astraea":1,"request":"bid"'
refused() { # WANT JSON [COMMAND...]
	local got
	got=$(raw "${@:2}")
	[[ $got == "$1"* && $got == *" "* ]] || fail "$2: $got"
}
refused not_found "$head,\"app\":\"search\",$rho}" as_other
refused denied "$head,\"app\":\"search\",\"user\":\"root\",$rho}" as_other
refused denied "$head,\"job\":$first,$rho}" as_other
refused malformed "$head,\"job\":$first,\"rho\":{\"slot\":[NaN]}}"
refused malformed "$head,\"job\":$first,\"rho\":{\"slot\":[-1]}}"
refused malformed "$head,\"job\":$first,\"rho\":{\"slot\":[1,1,1,1,1,1,1,1,1]}}"
refused malformed "$head,\"job\":$first,\"jobs\":[$other]}"
refused malformed "$head,\"job\":$first,\"rho\":{\"slot\":[$(
	printf '1,%.0s' {1..5000})1]}}"
refused not_found "$head,\"app\":\"none\",$rho}"

# A name of another user's that makes the same number is an app of its own.
twin=$(as_other sbatch --parsable -o /dev/null --chdir=/ --app=hg8aiey \
	--gres=gpu:1 --wrap 'exec sleep 1000')
twin_is_apart() {
	[[ $(sfair auction -nP -u games -o Job,Jobs) == "$twin|1" ]]
}
wait_for 20 twin_is_apart
refused denied "$head,\"job\":$first,$rho}" as_other
check_eq "jobs of the app" "$first|2" "$(sfair auction -nP -u root -o App,Job,Jobs |
	sed -n 's/^search|//p')"
scancel "$twin"
wait_for 20 job_is "$twin" CANCELLED

# ---- The order of its jobs is obeyed.

scancel "$filler"
wait_for 60 job_is "$second" RUNNING
check_eq "the app's other job" PENDING "$(job_state "$first")"

# ---- Everybody sees it.

app_of() { # USER COLUMNS
	as_other sfair auction -nP -u "$1" -o "$2"
}
is_app() { [[ $(app_of root "$1") == "$2" ]]; }
wait_for 20 is_app App,Job,User,Bid,Held,Demand "search|$first|root|agent|4|4"
check_eq "its auction" "yes|4|0|4" "$(app_of root Offered,Won,Payment,Kept)"
sfair auction >"$out/table"
grep -q "^Pool gpu: auction [0-9]*, .* ago, 4 GPUs for the bids of 1 app" \
	"$out/table" || fail "no line of the auction: $(cat "$out/table")"
sfair why "$first" | tr '\n' ' ' >"$out/why"
grep -q "Its app, search, .* bid with its agent's numbers, and won 4 GPUs" \
	"$out/why" || fail "sfair why: $(cat "$out/why")"
sfair auction -j "$first" 2>"$out/err" && fail "sfair auction took -j"
grep -q "does not go with" "$out/err" || fail "$(cat "$out/err")"
scancel "$first" "$second"

# ---- What GPUs do for an app, from a file.

cat >"$out/good" <<-EOT
	{
		"seconds": {
			"slot": [1000, 600, "inf"],
			"rack": [1000, 900]
		}
	}
EOT
echo '{"seconds": {"slot": [1000, 0]}}' >"$out/zero"
python3 -c 'print({"seconds": {"slot": [1000] * 3000}})' |
	tr "'" '"' >"$out/long"
refused_file() { # FILE REASON
	sbatch --bid="$1" --gres=gpu:1 --wrap true 2>"$out/err" &&
		fail "--bid=$1 was taken"
	grep -q -- "$2" "$out/err" || fail "--bid=$1: $(cat "$out/err")"
}
refused_file "$out/none" "No such file"
refused_file "$out/zero" "above 0"
mkfifo "$out/silent"
refused_file "$out/silent" "timed out"
refused_file "$out/long" "8192 bytes"
id=$(submit --bid="$out/good" --gres=gpu:2 --wrap 'exec sleep 1000')
rm "$out/good"
wait_for 30 job_is "$id" RUNNING
is_file() { [[ $(sfair auction -nP -o Job,Bid) == "$id|file" ]]; }
wait_for 20 is_file
