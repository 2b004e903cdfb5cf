# SPDX-License-Identifier: GPL-2.0-or-later
# Traces, the event loop and metrics; links the policies, never Slurm.
noinst_LTLIBRARIES += libastra-sim.la
libastra_sim_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libastra_sim_la_LIBADD = $(JANSSON_LIBS)
libastra_sim_la_SOURCES =
