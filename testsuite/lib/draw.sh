# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Settings that differ between sites, for the cluster of a live test: sourced by
# live.sh and by check-harness.
#
#   cluster_of TEST [NEEDS]	print 'KEY=VALUE...' for --vary of cluster: values
#				drawn by the name of the test and the day, then the
#				test's NEEDS, which override them. Nothing is drawn
#				for tests outside live/ and with ASTRAEA_CHECKER:
#				they get the plain cluster
#   cluster_values		print each key and the values that can be drawn. Not
#				CR_Socket: with it a job has more CPUs than it asks
#				for, and many tests count these
#
# ASTRAEA_CLUSTER  'KEY=VALUE...' instead of drawn values; "plain": none of them
# ASTRAEA_DAY      the day to draw by [today, as date +%F prints it]

cluster_values() {
	cat <<-EOT
		cores no yes
		select CR_Core_Memory CR_Core CR_CPU
		minage 300 2
		weight no yes
		older no yes
	EOT
}

cluster_of() {
	local how=${ASTRAEA_CLUSTER-drawn} drawn=''
	[[ $1 == live/* && ! ${ASTRAEA_CHECKER-} || $how != drawn ]] || how=plain
	case $how in
	plain) ;;
	drawn) drawn=$(draw_values "$1 ${ASTRAEA_DAY-$(date +%F)}") ;;
	*) drawn=$how ;;
	esac
	[[ ! $drawn || ! ${2-} ]] || drawn+=' '
	echo "$drawn${2-}"
}

# draw_values TEXT: the same text always gives the same values.
draw_values() {
	local draw key values index drawn=''
	read -r draw _ < <(sha256sum <<<"$1")
	draw=$((16#${draw:0:8}))
	while read -r key values; do
		# shellcheck disable=SC2086
		set -- $values
		index=$((draw % $#)) draw=$((draw / $#))
		shift "$index"
		drawn+=" $key=$1"
	done < <(cluster_values)
	echo "${drawn# }"
}
