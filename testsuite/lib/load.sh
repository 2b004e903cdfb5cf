# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How busy this machine is: sourced by scripts that start tests or wait.
#
#   nap SECONDS		sleep, without a process
#   wait_begins SECONDS	a wait of that long begins; its caller has declared
#			wait_left and wait_looked, local to it
#   wait_goes_on	whether the wait is not over. A second in which N processes
#			want each processor counts as 1/N second, so that waits
#			last until the machine has done enough work. At most 20
#			seconds count between two calls: a longer gap means that the
#			machine stood still
#   look_at_load	set idle, free_mib and crowd. idle: per cent of the time
#			since the last successful call in which the machine was
#			idle. crowd: 100 times the processes that want a processor,
#			per processor, smoothed over some ten seconds. Returns 1 if
#			the last successful call was less than a second ago
#   look_at_space DIR	set space_mib: the free space on the folder's disk
#
# The machine is the processors that this process may use.

load_proc=/proc
exec {load_nothing}<> <(:)

nap() { read -rt "$1" <&"$load_nothing" || :; }

# Sets load_own, an array with the processors' numbers as indices, and load_cpus, their
# count.
load_processors() {
	local name list range i
	while read -r name list; do
		[[ $name != Cpus_allowed_list: ]] || break
	done <"$load_proc/self/status"
	load_own=()
	: "${list:=0}"
	for range in ${list//,/ }; do
		for ((i = ${range%-*}; i <= ${range#*-}; i++)); do load_own[i]=1; done
	done
	load_cpus=${#load_own[@]}
}
load_processors

# Sets load_idle: how long the processors were idle since boot, in 1/100 s.
load_idle() {
	local name idle_here
	load_idle=0
	while read -r name _ _ _ idle_here _; do
		[[ $name == cpu* ]] || break
		name=${name#cpu}
		[[ ! $name || ! ${load_own[name]-} ]] ||
			load_idle=$((load_idle + idle_here))
	done <"$load_proc/stat"
}

# Sets load_now: the time since boot, in 1/100 s.
load_time() {
	read -r load_now _ <"$load_proc/uptime"
	load_now=${load_now/./}
}

wait_begins() {
	load_time
	wait_looked=$load_now wait_left=$(($1 * 10000))
}

# Sets wanting: how many other processes want a processor.
load_wanting() {
	read -r _ _ _ wanting _ <"$load_proc/loadavg"
	wanting=$((${wanting%%/*} - 1))
}

wait_goes_on() {
	local wanting passed
	load_time
	passed=$((load_now - wait_looked))
	((passed <= 2000)) || passed=2000
	load_wanting
	((wanting > load_cpus)) || wanting=$load_cpus
	wait_left=$((wait_left - passed * 100 * load_cpus / wanting))
	wait_looked=$load_now
	((wait_left > 0))
}

load_looked=0 load_idle_then=0 crowd=0
# shellcheck disable=SC2034
look_at_load() {
	local _ name kib wanting
	load_time
	((load_now - load_looked >= 100)) || return 1
	load_idle
	idle=$(((load_idle - load_idle_then) * 100 / (load_now - load_looked) / load_cpus))
	load_looked=$load_now load_idle_then=$load_idle
	load_wanting
	crowd=$((crowd + (wanting * 100 / load_cpus - crowd) / 8))
	while read -r name kib _; do
		[[ $name != MemAvailable: ]] || break
	done <"$load_proc/meminfo"
	free_mib=$((kib / 1024))
}

# shellcheck disable=SC2034
look_at_space() {
	space_mib=$(df -Pk "$1" | awk 'END { print int($4 / 1024) }')
}
