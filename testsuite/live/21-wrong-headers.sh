#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Plugins that were built with another job_record_t than slurmctld's stand aside before
# they touch anything, and the log says so. slurmctld starts with each layout beside
# jobs of all kinds.
. "$(dirname "$0")/../lib/live.sh"
# shellcheck source=testsuite/lib/aside.sh
. "$(dirname "$0")/../lib/aside.sh"
aside_cluster wrong-layout

try_layouts <<'EOT'
job, grown in its middle|job_record|before:name:uint64_t wrong;|a job_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
job, grown at its end|job_record|end:uint64_t wrong;|a job_record_t has [0-9]+ bytes in slurmctld and [0-9]+ here
job, numbers swapped|job_record|swap:user_id:group_id|(user|group)_id (and [a-z_]* )?of a job_record_t (is|are) not what slurmctld says
job, texts swapped|job_record|swap:comment:name|(comment|name) (and [a-z_]* )?of a job_record_t (is|are) not what slurmctld says
job, numbers and padding|job_record|before:batch_flag:uint16_t wrong1;+before:group_id:uint32_t wrong2;|(batch_flag|group_id) (and [a-z_]* )?of a job_record_t (is|are) not what slurmctld says
job, padding filled and nothing moved|job_record|before:batch_host:uint16_t wrong;|
EOT
wait_for 20 says "structures are as expected"
ok wrong-headers-stand-aside
rm -rf "$build-wrong-layout"
