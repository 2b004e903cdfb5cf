#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/beside-stock.sh, with a few short jobs: its three clusters come up, all
# jobs finish, and the table has its rows. About three minutes.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
((EUID == 0)) || {
	echo "only root can run Slurm's daemons"
	exit 77
}
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
out=$("$top/contrib/beside-stock.sh" --short --keep "$kept")
echo "$out"

has() {
	grep >/dev/null "$@" <<<"$out" || {
		echo "FAIL: the output lacks: ${*: -1}"
		exit 1
	}
}
has -xF '| | stock | tuned | ours |'
for row in 'GPU time of vision' 'GPU time of speech' 'GPU time of biology' \
	'first wait, 1 GPU, median' 'first wait, 2 GPUs, 95 %' \
	'first wait, 4 GPUs, median' 'first wait, interactive, median' \
	'GPU time lost by interruptions' interruptions 'GPUs in use' \
	'the last job ended' 'sbatch to start, 1 GPU'; do
	has -E "^\| $row.*(\| [*0-9.]+ ){3}\|$"
done
has -E '^All [0-9]+ jobs finished on each cluster; no prepared job lost a step'

# Each cluster was what its column says.
python3 - "$kept" <<'EOT'
import json, sys
for name in ("stock", "tuned", "ours"):
    with open(f"{sys.argv[1]}/{name}.1.json", encoding="utf-8") as text:
        result = json.load(text)
    assert result["name"] == name and result["jobs"], result
    if name == "stock":
        assert all(len(job["runs"]) == 1 for job in result["jobs"]), result
EOT
