#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An example of LeaseProgram (astraea.conf(5)): a line of JSON to the site's chat
# for each lease that is over, each job that has GPUs again, each one that has
# none by the time that it was promised. Names are users' own: they are quoted by
# jq, and nothing is evaluated. The chat has four seconds; slurmctld does not wait
# for it, and kills what takes ten.
set -eu

: "${CHAT_URL:=https://chat.example.org/hooks/gpus}"

jq -nc \
	--arg text "job ${SLURM_JOB_ID} (${SLURM_JOB_NAME-}) of ${SLURM_JOB_USER}: ${SLURM_JOB_MAIL_TYPE}" \
	'{text: $text}' |
	curl --silent --fail --max-time 4 --header 'Content-Type: application/json' \
		--data-binary @- "$CHAT_URL"
