# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How busy this machine is: sourced by what starts tests and by what waits.
#
#   nap SECONDS		sleep, without a process
#   wait_begins SECONDS	a wait of that long begins; its caller has declared
#			wait_left and wait_looked, local to it
#   wait_goes_on	whether it is not over. A second in which N processes want
#			each processor counts as 1/N: who waits is patient by what
#			the machine has done meanwhile
#   look_at_load	sets idle and free_mib: the per cent of its time that the
#			machine was idle since the last call that said so, and its
#			free memory. Ends with 1 if that call was less than a
#			second ago

load_cpus=$(nproc)
exec {load_nothing}<> <(:)

nap() { read -rt "$1" <&"$load_nothing" || :; }

# Sets load_now, hundredths of a second that no change of the clock touches.
load_time() {
	read -r load_now _ </proc/uptime
	load_now=${load_now/./}
}

wait_begins() {
	load_time
	wait_looked=$load_now wait_left=$(($1 * 10000))
}

# Sets wanting: how many processes want a processor besides this one.
load_wanting() {
	read -r _ _ _ wanting _ </proc/loadavg
	wanting=$((${wanting%%/*} - 1))
}

wait_goes_on() {
	local wanting
	load_time
	load_wanting
	((wanting > load_cpus)) || wanting=$load_cpus
	wait_left=$((wait_left -
		(load_now - wait_looked) * 100 * load_cpus / wanting))
	wait_looked=$load_now
	((wait_left > 0))
}

load_looked=0 load_idle_then=0
# shellcheck disable=SC2034
look_at_load() {
	local _ idle_now name kib
	load_time
	((load_now - load_looked >= 100)) || return 1
	read -r _ _ _ _ idle_now _ </proc/stat
	idle=$(((idle_now - load_idle_then) * 100 / (load_now - load_looked) / load_cpus))
	load_looked=$load_now load_idle_then=$idle_now
	while read -r name kib _; do
		[[ $name != MemAvailable: ]] || break
	done </proc/meminfo
	free_mib=$((kib / 1024))
}
