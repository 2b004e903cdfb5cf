# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which Slurm the tests have, and its words. Sourced by what runs tests.
#
# ASTRAEA_SLURM	where it is installed [as the system's packages have it]
# $slurm_path	PATH with it, and with the system's programs alone
# slurm_version	prints its version: 26.05.3
# slurm_release	prints its release as a number: 2605
# slurm_words	sets what differs between releases:
#   $GPU_TRES	how scontrol writes GPUs
#   $EXPEDITE	the option for an expedited requeue; before 25.11 for any

slurm_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
[[ ! ${ASTRAEA_SLURM-} ]] ||
	slurm_path=$ASTRAEA_SLURM/sbin:$ASTRAEA_SLURM/bin:$slurm_path

slurm_version() {
	PATH=$slurm_path slurmctld -V | sed 's/^[a-z-]* \([0-9.]*\).*/\1/'
}

slurm_release() {
	slurm_version | sed 's/^\([0-9]*\)\.\([0-9]*\).*/\1\2/'
}

slurm_words() {
	local release
	release=$(slurm_release)
	export GPU_TRES=gres/gpu
	((release >= 2311)) || GPU_TRES=gres:gpu
	export EXPEDITE=--requeue=expedite
	((release >= 2511)) || EXPEDITE=--requeue
}
