dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl ASTRA_COMPILER_FLAGS: the warnings for our own code, in ASTRA_CFLAGS.
AC_DEFUN([ASTRA_COMPILER_FLAGS], [
AC_ARG_ENABLE([werror],
	[AS_HELP_STRING([--enable-werror], [make every warning an error])])
dnl One object serves programs, plugins and libraries alike.
ASTRA_CFLAGS="-std=gnu11 -fPIC -Wall -Wextra -Wshadow -Wconversion"
ASTRA_CFLAGS="$ASTRA_CFLAGS -Wdouble-promotion -Wcast-qual"
ASTRA_CFLAGS="$ASTRA_CFLAGS -Wstrict-prototypes -Wmissing-prototypes"
ASTRA_CFLAGS="$ASTRA_CFLAGS -Wvla -Wformat=2"
ASTRA_CFLAGS="$ASTRA_CFLAGS -Werror=implicit-function-declaration"
ASTRA_CFLAGS="$ASTRA_CFLAGS -Werror=incompatible-pointer-types"
AS_IF([test "x$enable_werror" = xyes],
	[ASTRA_CFLAGS="$ASTRA_CFLAGS -Werror"])
AC_SUBST([ASTRA_CFLAGS])
])

dnl ASTRA_SANITIZER: --enable-sanitizer=KIND adds -fsanitize=KIND everywhere but
dnl in the SPANK plugin. A plugin stays loaded to slurmctld's end, so that reports
dnl about leaks can name its functions.
AC_DEFUN([ASTRA_SANITIZER], [
AC_ARG_ENABLE([sanitizer],
	[AS_HELP_STRING([--enable-sanitizer=KIND],
		[build with a sanitizer: address, undefined, thread or
		 address,undefined])],
	[], [enable_sanitizer=no])
AS_CASE([$enable_sanitizer],
	[no], [],
	[address|undefined|thread|address,undefined], [
		ASTRA_SANITIZE="-fsanitize=$enable_sanitizer"
		ASTRA_SANITIZE="$ASTRA_SANITIZE -fno-omit-frame-pointer"
		ASTRA_LDFLAGS="-fsanitize=$enable_sanitizer -Wl,-z,nodelete"],
	[AC_MSG_ERROR([--enable-sanitizer=$enable_sanitizer: give address, undefined, thread or address,undefined])])
AC_SUBST([ASTRA_LDFLAGS])
AC_SUBST([ASTRA_SANITIZE])
])

dnl ASTRA_FAULT_POINTS: --enable-fault-points, for the tests of crashes. A header says
dnl so, and no argument of the compiler: other objects are those of a build without.
AC_DEFUN([ASTRA_FAULT_POINTS], [
AC_ARG_ENABLE([fault-points],
	[AS_HELP_STRING([--enable-fault-points],
		[let tests kill slurmctld at named places; never in production])])
AS_IF([test "x$enable_fault_points" = xyes],
	[FAULT_POINTS=1], [FAULT_POINTS=0])
AC_SUBST([FAULT_POINTS])
AC_CONFIG_FILES([astra_fault_points.h])
])

dnl ASTRA_LIBRARIES: what the messages, the state file and the tests need.
AC_DEFUN([ASTRA_LIBRARIES], [
PKG_CHECK_MODULES([JANSSON], [jansson >= 2.10], [],
	[AC_MSG_ERROR([jansson is missing: run build-aux/setup.sh, or install libjansson-dev])])
PKG_CHECK_MODULES([MUNGE], [munge], [],
	[AC_MSG_ERROR([munge is missing: run build-aux/setup.sh, or install libmunge-dev])])
PKG_CHECK_MODULES([ZLIB], [zlib], [],
	[AC_MSG_ERROR([zlib is missing: run build-aux/setup.sh, or install zlib1g-dev])])
PKG_CHECK_MODULES([CMOCKA], [cmocka], [],
	[AC_MSG_WARN([cmocka is missing, so "make check" cannot be built: run build-aux/setup.sh, or install libcmocka-dev])])
dnl Offline optima, to compare with; its test is skipped without.
GLPK_CFLAGS= GLPK_LIBS=
AC_CHECK_HEADER([glpk.h], [AC_CHECK_LIB([glpk], [glp_intopt],
	[GLPK_CFLAGS=-DASTRA_GLPK GLPK_LIBS=-lglpk])])
AC_SUBST([GLPK_CFLAGS])
AC_SUBST([GLPK_LIBS])
])

dnl ASTRA_MICROHTTPD: for sfair metrics --listen; found or not, unless asked for.
AC_DEFUN([ASTRA_MICROHTTPD], [
AC_ARG_WITH([microhttpd],
	[AS_HELP_STRING([--without-microhttpd],
		[build sfair metrics without --listen])],
	[], [with_microhttpd=auto])
AS_CASE([$with_microhttpd],
	[yes|no|auto], [],
	[AC_MSG_ERROR([--with-microhttpd takes no folder: where it is is pkg-config's to say, by PKG_CONFIG_PATH])])
astra_have=no
AS_IF([test "x$with_microhttpd" != xno], [
	PKG_CHECK_MODULES([MICROHTTPD], [libmicrohttpd >= 0.9.71],
		[astra_have=yes
		 MICROHTTPD_CFLAGS="$MICROHTTPD_CFLAGS -DASTRA_MICROHTTPD"],
		[MICROHTTPD_CFLAGS= MICROHTTPD_LIBS=])])
AS_IF([test "x$with_microhttpd$astra_have" = xyesno],
	[AC_MSG_ERROR([libmicrohttpd 0.9.71 or newer is missing: run build-aux/setup.sh, install libmicrohttpd-dev, or configure --without-microhttpd])])
ASTRA_METRICS_LISTEN=$astra_have
])

dnl ASTRA_HISTORY: SQLite, which the history is kept in.
AC_DEFUN([ASTRA_HISTORY], [
AC_ARG_WITH([history],
	[AS_HELP_STRING([--without-history],
		[build without SQLite: no history, and no reports of it])],
	[], [with_history=yes])
AS_CASE([$with_history],
	[yes|no], [],
	[AC_MSG_ERROR([--with-history takes no folder: where SQLite is is pkg-config's to say, by PKG_CONFIG_PATH])])
SQLITE_CFLAGS= SQLITE_LIBS=
AS_IF([test "x$with_history" = xyes], [
	PKG_CHECK_MODULES([SQLITE], [sqlite3 >= 3.24],
		[SQLITE_CFLAGS="$SQLITE_CFLAGS -DASTRA_HISTORY"],
		[AC_MSG_ERROR([SQLite 3.24 or newer is missing: run build-aux/setup.sh, install libsqlite3-dev, or configure --without-history])])])
AC_SUBST([SQLITE_CFLAGS])
AC_SUBST([SQLITE_LIBS])
AM_CONDITIONAL([HISTORY], [test "x$with_history" = xyes])
])

dnl ASTRA_NCURSES: for sfair top's screen; found or not, unless asked for.
AC_DEFUN([ASTRA_NCURSES], [
AC_ARG_WITH([top],
	[AS_HELP_STRING([--without-top],
		[build sfair top without a screen, for sfair top -b only])],
	[], [with_top=auto])
AS_CASE([$with_top],
	[yes|no|auto], [],
	[AC_MSG_ERROR([--with-top takes no folder: where ncursesw is is pkg-config's to say, by PKG_CONFIG_PATH])])
astra_have=no
AS_IF([test "x$with_top" != xno], [
	PKG_CHECK_MODULES([NCURSES], [ncursesw >= 6],
		[astra_have=yes
		 NCURSES_CFLAGS="$NCURSES_CFLAGS -DASTRA_NCURSES"],
		[NCURSES_CFLAGS= NCURSES_LIBS=])])
AS_IF([test "x$with_top$astra_have" = xyesno],
	[AC_MSG_ERROR([ncursesw 6 or newer is missing: run build-aux/setup.sh, install libncurses-dev, or configure --without-top])])
ASTRA_TOP_SCREEN=$astra_have
])
