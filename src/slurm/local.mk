# SPDX-License-Identifier: GPL-2.0-or-later
# The shared library that all plugins of slurmctld link: the only code that
# touches slurmctld's structures, and everything pure.
plugin_LTLIBRARIES += libastraea.la
libastraea_la_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
libastraea_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
libastraea_la_LDFLAGS = $(AM_LDFLAGS) -avoid-version -shared
libastraea_la_LIBADD = \
	libastra-proto.la \
	libastra-store.la \
	libastra-policy.la \
	libastra-common.la
libastraea_la_SOURCES = $(server_sources)
