# SPDX-License-Identifier: GPL-2.0-or-later
# Examples beside slurm.conf. None ends in .conf: "include plugstack.conf.d/*.conf"
# would make hosts without the plugin print an error at each sbatch.
dist_sysconf_DATA = etc/astraea.conf.example
plugstackdir = $(sysconfdir)/plugstack.conf.d
dist_plugstack_DATA = etc/plugstack.conf.d/astraea.conf.example

dist_check_SCRIPTS += testsuite/unit/install.sh testsuite/unit/setup.sh
