# SPDX-License-Identifier: GPL-2.0-or-later
# The report, the JSON messages, and MUNGE's signature on them.
noinst_LTLIBRARIES += libastra-proto.la
libastra_proto_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
libastra_proto_la_LIBADD = $(JANSSON_LIBS) $(MUNGE_LIBS)
libastra_proto_la_SOURCES = \
	src/proto/answer.c \
	src/proto/answer.h \
	src/proto/call.c \
	src/proto/encode.c \
	src/proto/encode.h \
	src/proto/query.c \
	src/proto/query.h \
	src/proto/query_json.c \
	src/proto/report.c \
	src/proto/report.h \
	src/proto/select.c \
	src/proto/select.h \
	src/proto/sign.c \
	src/proto/sign.h \
	src/proto/text.c \
	src/proto/text.h \
	src/proto/why.c \
	src/proto/wire.c \
	src/proto/wire.h
