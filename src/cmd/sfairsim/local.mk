# SPDX-License-Identifier: GPL-2.0-or-later
# Simulate, compare, tune and decide, without Slurm.
bin_PROGRAMS += sfairsim
sfairsim_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
sfairsim_LDADD = libastra-sim.la libastra-policy.la libastra-common.la \
	$(JANSSON_LIBS) -lm
sfairsim_SOURCES = \
	src/cmd/sfairsim/decide.c \
	src/cmd/sfairsim/main.c \
	src/cmd/sfairsim/options.c \
	src/cmd/sfairsim/sfairsim.h
