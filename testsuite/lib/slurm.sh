# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The Slurm of the tests, and its words. Sourced by scripts that run tests.
#
# ASTRAEA_SLURM	its prefix [that of the system's packages]
# $slurm_path	PATH with this Slurm and with the system's programs alone
# slurm_version	prints its version: 26.05.3
# slurm_release	prints its release as a number: 2605
# system_plugindir	prints the folder of Slurm's own plugins
# slurm_words	sets what differs between releases:
#   $GPU_TRES	how scontrol writes GPUs
#   $WAIT_ENDS	1 if sbatch --wait ends with the first run of a requeued job, from
#		26.05 on; else empty
#   $GPUS_TWICE	1 if sbatch takes --gpus-per-node together with --gres=gpu; from
#		26.05 on empty
#   $NO_SUCH_CPUS	--cpus-per-gpu=99 if that is refused; from 25.05 on empty
#   $SPREAD_ENDS	1 if --spread-job with GPUs crashes slurmctld, in 24.05 to
#		24.11; else empty
#   $EXPEDITE	the option for an expedited requeue; before 25.11 for a plain one

slurm_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
[[ ! ${ASTRAEA_SLURM-} ]] ||
	slurm_path=$ASTRAEA_SLURM/sbin:$ASTRAEA_SLURM/bin:$slurm_path

slurm_version() {
	local words
	words=$(PATH=$slurm_path slurmctld -V) && words=${words##* }
	echo "${words%%[!0-9.]*}"
}

# Asks slurmctld once: a process costs milliseconds. ASTRAEA_RELEASE is PREFIX:2605.
slurm_release() {
	local version
	if [[ ${ASTRAEA_RELEASE-} != "${ASTRAEA_SLURM-}":* ]]; then
		version=$(slurm_version) && version=${version%.*}
		export ASTRAEA_RELEASE=${ASTRAEA_SLURM-}:${version/./}
	fi
	echo "${ASTRAEA_RELEASE##*:}"
}

# Finds the folder by libslurmfull, which lies in it.
system_plugindir() {
	local objects # as ldd lists them
	objects=$(PATH=$slurm_path LD_TRACE_LOADED_OBJECTS=1 slurmctld)
	[[ $objects =~ '=> '([^[:space:]]*)/libslurmfull ]] && echo "${BASH_REMATCH[1]}"
}

slurm_words() {
	local release
	slurm_release >/dev/null
	release=${ASTRAEA_RELEASE##*:}
	export GPU_TRES=gres/gpu
	((release >= 2311)) || GPU_TRES=gres:gpu
	export WAIT_ENDS=
	((release < 2605)) || WAIT_ENDS=1
	export GPUS_TWICE=1
	((release < 2605)) || GPUS_TWICE=
	export NO_SUCH_CPUS=--cpus-per-gpu=99
	((release < 2505)) || NO_SUCH_CPUS=
	export SPREAD_ENDS=
	((release < 2405 || release >= 2505)) || SPREAD_ENDS=1
	export EXPEDITE=--requeue=expedite
	((release >= 2511)) || EXPEDITE=--requeue
}
