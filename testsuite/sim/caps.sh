#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A tenant with 2.5 GPU hours a day and jobs of 4 GPUs, whose leases of 15 minutes
# take one hour each. By hand: on the first day job a has 4 x 120 s, as b, which
# never ran, has its GPUs recalled after RecallAfter; b has two leases; a third
# would be 3.13 hours. d of one GPU fits on its last 400 s of the day. Each of the
# next days two leases go to the jobs that wait, until a and b have had their
# 1.5 hours x 4 GPUs. c of another tenant is in nobody's way.

set -euo pipefail

sim=$(realpath "${top_builddir:-build}/sfairsim")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

cat >trace.csv <<-EOT
	job_id,tenant,user,submit_s,duration_s,gpus
	a,lab,ann,0,5400,4
	b,lab,ann,10,5400,4
	c,other,cal,20,200000,1
	d,lab,ann,86000,300,1
EOT
# Of any time zone: a trace begins at midnight.
TZ=Asia/Tokyo "$sim" run -q --trace=trace.csv -N 1 -G 8 \
	--set=TenantGPUHours=lab:2.5 --set=CapPeriod=day --checkpoint=0 \
	--cold-start=0 --runs-csv=runs.csv >/dev/null
diff - runs.csv <<-EOT
	job,tenant,start_sec,end_sec,gpus,nodes
	a,lab,0,120,4,1
	b,lab,120,1920,4,1
	d,lab,86000,86300,1,1
	a,lab,86400,88200,4,1
	b,lab,172800,174600,4,1
	c,other,20,200020,1,1
	a,lab,259200,260100,4,1
	b,lab,259200,260100,4,1
	b,lab,345600,346500,4,1
	a,lab,345600,346500,4,1
	a,lab,432000,433680,4,1
EOT

# Whatever the policy, no day has more, counted from the schedule alone.
for policy in ltgf themis incentive oasis ogasched ltgf+themis fifo tiresias; do
	"$sim" run -q --generate=apps -j 60 --days=1 -N 4 -G 8 -p "$policy" \
		--set=MaxGPUHours=40 --set=CapPeriod=day --until=3-00:00:00 \
		--runs-csv=runs.csv >/dev/null
	awk -F, -v policy="$policy" '
		NR > 1 {
			for (d = int($3 / 86400); d * 86400 < $4; d++) {
				from = $3 > d * 86400 ? $3 : d * 86400
				to = $4 < (d + 1) * 86400 ? $4 : (d + 1) * 86400
				had[$2 "," d] += (to - from) * $5 / 3600
			}
		}
		END {
			for (i in had)
				most = had[i] > most ? had[i] : most
			printf "%s: %.2f of 40 GPU hours\n", policy, most
			# a checkpoint of 10 s comes after a lease
			exit !(most > 20 && most <= 40 + 1)
		}' runs.csv
done

# refused WORD SETTING...: with one line that names it.
refused() {
	local word=$1
	shift
	if "$sim" run -q --trace=trace.csv -N 1 "${@/#/--set=}" >/dev/null 2>err; then
		echo "accepted: $*"
		exit 1
	fi
	[[ $(wc -l <err) == 1 ]]
	grep -F -- "$word" err
}
refused MaxGPUHours=-1 MaxGPUHours=-1
refused MaxGPUHours=many MaxGPUHours=many
refused TenantGPUHours=lab TenantGPUHours=lab
refused CapPeriod=year CapPeriod=year
refused MaxGPUHoursPerUser=6 MaxGPUHours=5 MaxGPUHoursPerUser=6
refused Leases=no MaxGPUHours=5 Leases=no
refused FairWithin=job MaxGPUHoursPerUser=5 FairWithin=job
