# SPDX-License-Identifier: GPL-2.0-or-later
# The JSON messages, and MUNGE's signature on them.
noinst_LTLIBRARIES += libastra-proto.la
libastra_proto_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
libastra_proto_la_LIBADD = $(JANSSON_LIBS) $(MUNGE_LIBS)
libastra_proto_la_SOURCES =
