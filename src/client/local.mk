# SPDX-License-Identifier: GPL-2.0-or-later
# libsfair: programs in leased jobs link it. It does not link Slurm. The file's
# name has the interface's age, its soname is what programs ask for.
LIBSFAIR_SONAME = libsfair.so.0
LIBSFAIR_FILE = $(LIBSFAIR_SONAME).3.0
noinst_PROGRAMS += libsfair.so
include_HEADERS += src/client/sfair.h
pkgconfig_DATA += src/client/sfair.pc
noinst_LIBRARIES += libastra-client.a
libastra_client_a_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
libastra_client_a_SOURCES = \
	src/client/answer.c \
	src/client/answer.h \
	src/client/claim.c \
	src/client/courier.c \
	src/client/courier.h \
	src/client/folder.c \
	src/client/folder.h \
	src/client/lineage.c \
	src/client/lineage.h \
	src/client/notice.c \
	src/client/notice.h \
	src/client/place.c \
	src/client/place.h \
	src/client/sfair.c \
	src/client/sfair.h \
	src/client/snapshot.c \
	src/client/snapshot.h \
	src/client/store.c \
	src/client/store.h

# Its threads outlive a dlclose(), so it is never unloaded.
libsfair_so_SOURCES =
libsfair_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-soname,$(LIBSFAIR_SONAME) \
	-Wl,--version-script,$(srcdir)/src/client/libsfair.map \
	-Wl,-z,nodelete
libsfair_so_LDADD = $(WHOLE_ARCHIVES) libastra-client.a $(NO_WHOLE_ARCHIVES) \
	libastra-proto.a libastra-common.a
EXTRA_DIST += src/client/libsfair.map
EXTRA_libsfair_so_DEPENDENCIES = src/client/libsfair.map
install-exec-local: libsfair.so
	$(MKDIR_P) '$(DESTDIR)$(libdir)'
	$(INSTALL_PROGRAM) libsfair.so '$(DESTDIR)$(libdir)/$(LIBSFAIR_FILE)'
	ln -sf $(LIBSFAIR_FILE) '$(DESTDIR)$(libdir)/$(LIBSFAIR_SONAME)'
	ln -sf $(LIBSFAIR_FILE) '$(DESTDIR)$(libdir)/libsfair.so'
uninstall-local:
	rm -f '$(DESTDIR)$(libdir)/$(LIBSFAIR_FILE)' \
		'$(DESTDIR)$(libdir)/$(LIBSFAIR_SONAME)' \
		'$(DESTDIR)$(libdir)/libsfair.so'

check_PROGRAMS += test_client
test_client_SOURCES = testsuite/unit/test_client.c testsuite/unit/child.h
test_client_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS) \
	$(MUNGE_CFLAGS)
test_client_LDADD = libastra-server.a libastra-client.a libastra-proto.a \
	libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_lineage
test_lineage_SOURCES = testsuite/unit/test_lineage.c \
	src/client/claim.c \
	src/client/folder.c \
	src/client/lineage.c \
	src/client/snapshot.c
test_lineage_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
test_lineage_LDADD = libastra-common.a $(CMOCKA_LIBS)

check_PROGRAMS += test_store
test_store_SOURCES = testsuite/unit/test_store.c testsuite/unit/child.h
test_store_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(JANSSON_CFLAGS) \
	$(MUNGE_CFLAGS)
test_store_LDADD = libastra-client.a libastra-proto.a libastra-common.a \
	$(CMOCKA_LIBS)

EXTRA_PROGRAMS += bench_store
BENCH += bench_store
CLEANFILES += bench_store
bench_store_SOURCES = testsuite/bench/bench_store.c testsuite/bench/bench.h
bench_store_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(MUNGE_CFLAGS)
bench_store_LDADD = libastra-client.a libastra-proto.a libastra-common.a
