# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For live tests of files in YAML that Slurm reads: source it after live.sh.
#
#   needs_yaml RELEASE FILE SERIALIZER LACK	skip if Slurm is older than RELEASE
#				(LACK says what such a Slurm lacks), or has no such
#				SERIALIZER to read FILE with

needs_yaml() {
	local release=$1 file=$2 serializer=$3 lack=$4 plugins
	(($(slurm_release) >= release)) ||
		skip "Slurm $(slurm_version) $lack (${release::2}.${release:2})"
	plugins=$(ldd "$(command -v slurmctld)" |
		sed -n 's/.*=> \(.*\)\/libslurmfull[^\/]*\.so.*/\1/p')
	[[ -e $plugins/serializer_$serializer.so ]] ||
		skip "this Slurm reads no $file: it was built without serializer/$serializer"
}
