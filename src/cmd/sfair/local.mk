# SPDX-License-Identifier: GPL-2.0-or-later
# Queries of the live state and of history.
#
# Take the # away when the source is there.

#bin_PROGRAMS += sfair
#sfair_CPPFLAGS = $(SLURM_AM_CPPFLAGS)
#sfair_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
#sfair_LDADD = libastra-proto.la libastra-common.la $(SLURM_LIBS)
#sfair_SOURCES = src/cmd/sfair/main.c
