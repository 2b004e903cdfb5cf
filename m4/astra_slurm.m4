dnl SPDX-License-Identifier: GPL-2.0-or-later

dnl slurmctld loads a plugin only when major.minor.micro are its own, and
dnl fields of its structures move even between micro releases. So the exact
dnl version is found first, and source and build folder must both carry it.

AC_DEFUN([ASTRA_SLURM], [
_ASTRA_SLURM_OPTIONS
_ASTRA_SLURM_VERSION
_ASTRA_SLURM_SRC
_ASTRA_SLURM_BUILD
_ASTRA_SLURM_PLUGINDIR
_ASTRA_SLURM_LIBS
SLURM_CPPFLAGS="-isystem $SLURM_BUILD -isystem $SLURM_SRC"
AS_IF([test "x$with_slurm" != x/usr && test -d "$with_slurm/include"],
	[SLURM_CPPFLAGS="$SLURM_CPPFLAGS -isystem $with_slurm/include"])
_ASTRA_SLURM_TRY
ASTRA_SLURM_COMPAT
ASTRA_RELEASE="$PACKAGE_VERSION (Slurm $ASTRA_SLURM_VERSION)"
AC_SUBST([SLURM_CPPFLAGS])
AC_SUBST([ASTRA_RELEASE])
])

AC_DEFUN([_ASTRA_SLURM_OPTIONS], [
AC_ARG_WITH([slurm],
	[AS_HELP_STRING([--with-slurm=PREFIX], [where Slurm is installed @<:@/usr@:>@])],
	[], [with_slurm=/usr])
AC_ARG_WITH([slurm-src],
	[AS_HELP_STRING([--with-slurm-src=DIR], [Slurm's source of the same version @<:@where build-aux/setup.sh puts it@:>@])],
	[], [with_slurm_src=])
AC_ARG_WITH([slurm-build],
	[AS_HELP_STRING([--with-slurm-build=DIR], [the folder where that source was configured @<:@where build-aux/setup.sh puts it@:>@])],
	[], [with_slurm_build=])
AC_ARG_WITH([plugindir],
	[AS_HELP_STRING([--with-plugindir=DIR], [where plugins are installed @<:@Slurm's PluginDir@:>@])],
	[], [with_plugindir=])
m4_foreach([opt], [[with_slurm], [with_slurm_src], [with_slurm_build], [with_plugindir]],
	[AS_CASE([$opt], [yes|no],
		[AC_MSG_ERROR([an option --]m4_translit(opt, [_], [-])[ needs =FOLDER])])
])
astra_home=$HOME
AS_IF([test -z "$astra_home"], [eval "astra_home=~`id -un`"])
astra_cache="${XDG_CACHE_HOME:-$astra_home/.cache}/astraea"
AC_PATH_PROG([SLURMCTLD], [slurmctld], [],
	[$with_slurm/sbin$PATH_SEPARATOR$PATH$PATH_SEPARATOR/usr/sbin])
])

dnl From slurmctld itself; else from the package; else from slurm_version.h.
AC_DEFUN([_ASTRA_SLURM_VERSION], [
AC_MSG_CHECKING([for Slurm's version])
astra_v=; astra_from=
AS_IF([test -n "$SLURMCTLD"], [
	astra_v=`$SLURMCTLD -V 2>/dev/null |
		$SED -n 's/^slurm@<:@a-z-@:>@* \(@<:@0-9.@:>@*\).*/\1/p'`
	astra_from="$SLURMCTLD -V"])
AS_IF([test -z "$astra_v" && test "x$with_slurm" = x/usr], [
	astra_v=`dpkg-query -W -f '${Version}' slurmctld 2>/dev/null |
		$SED 's/^@<:@0-9@:>@*://; s/@<:@-+~@:>@.*//'`
	astra_from=dpkg])
AS_IF([test -z "$astra_v"], [
	astra_h="$with_slurm/include/slurm/slurm_version.h"
	astra_hex=`$SED -n 's/.*SLURM_VERSION_NUMBER 0x\(@<:@0-9a-fA-F@:>@*\).*/\1/p' "$astra_h" 2>/dev/null`
	AS_IF([test -n "$astra_hex"], [
		astra_n=`printf %d 0x$astra_hex`
		astra_v=`printf '%d.%02d.%d' $((astra_n / 65536)) $((astra_n / 256 % 256)) $((astra_n % 256))`])
	astra_from=$astra_h])
AS_IF([test -z "$astra_v"], [
	AC_MSG_RESULT([none])
	AC_MSG_ERROR([no Slurm is installed under $with_slurm: run build-aux/setup.sh, or give --with-slurm=PREFIX])])
AC_MSG_RESULT([$astra_v (told by $astra_from)])
AC_SUBST([ASTRA_SLURM_VERSION], [$astra_v])
AC_SUBST([ASTRA_SLURM_MAJOR], [`echo $astra_v | $SED 's/\..*//; s/^0*\(.\)/\1/'`])
AC_SUBST([ASTRA_SLURM_MINOR], [`echo $astra_v | $SED 's/^@<:@^.@:>@*\.//; s/\..*//; s/^0*\(.\)/\1/'`])
AC_SUBST([ASTRA_SLURM_MICRO], [`echo $astra_v | $SED 's/^@<:@^.@:>@*\.@<:@^.@:>@*\.//; s/@<:@^0-9@:>@.*//; s/^0*\(.\)/\1/'`])
])

dnl _ASTRA_SLURM_SAME(WHAT, FOLDER, ITS VERSION, OPTION)
AC_DEFUN([_ASTRA_SLURM_SAME], [
AS_IF([test "x$3" != "x$ASTRA_SLURM_VERSION"], [
	AC_MSG_RESULT([$2 ($3)])
	AC_MSG_ERROR([$1 $2 is of Slurm $3 but slurmctld is $ASTRA_SLURM_VERSION; slurmctld refuses plugins of another major.minor.micro, and its structures differ: run build-aux/setup.sh, or give $4 the folder of $ASTRA_SLURM_VERSION])])
AC_MSG_RESULT([$2])
])

AC_DEFUN([_ASTRA_SLURM_SRC], [
AC_MSG_CHECKING([for Slurm's source folder])
SLURM_SRC="${with_slurm_src:-$astra_cache/slurm-$ASTRA_SLURM_VERSION/src}"
AS_IF([test ! -f "$SLURM_SRC/src/slurmctld/slurmctld.h"], [
	AC_MSG_RESULT([none])
	AC_MSG_ERROR([$SLURM_SRC holds no source of Slurm: run build-aux/setup.sh, or give --with-slurm-src=DIR])])
astra_v=`$SED -n 's/^ *Version:@<:@^0-9@:>@*\(@<:@0-9.@:>@*\).*/\1/p' "$SLURM_SRC/META" 2>/dev/null`
_ASTRA_SLURM_SAME([the source folder], [$SLURM_SRC], [$astra_v], [--with-slurm-src])
AC_SUBST([SLURM_SRC])
])

AC_DEFUN([_ASTRA_SLURM_BUILD], [
AC_MSG_CHECKING([for Slurm's build folder])
SLURM_BUILD="${with_slurm_build:-$astra_cache/slurm-$ASTRA_SLURM_VERSION/build}"
AS_IF([test ! -f "$SLURM_BUILD/config.h" || test ! -f "$SLURM_BUILD/slurm/slurm_version.h"], [
	AC_MSG_RESULT([none])
	AC_MSG_ERROR([$SLURM_BUILD is no folder where Slurm was configured: run build-aux/setup.sh, or give --with-slurm-build=DIR])])
astra_v=`$SED -n 's/^#define SLURM_VERSION_STRING "\(@<:@0-9.@:>@*\).*/\1/p' "$SLURM_BUILD/config.h"`
_ASTRA_SLURM_SAME([the build folder], [$SLURM_BUILD], [$astra_v], [--with-slurm-build])
AC_SUBST([SLURM_BUILD])
])

dnl Slurm's own plugins tell which folder is PluginDir.
AC_DEFUN([_ASTRA_SLURM_PLUGINDIR], [
AC_MSG_CHECKING([for Slurm's PluginDir])
astra_dirs=
AS_IF([test -f "${SLURM_CONF:-$sysconfdir/slurm.conf}"], [
	astra_dirs=`timeout 5 scontrol show config 2>/dev/null |
		$SED -n 's/^PluginDir *= *//p' | tr : ' '`])
AS_IF([test -n "$SLURMCTLD"], [
	astra_dirs="$astra_dirs `ldd "$SLURMCTLD" 2>/dev/null |
		$SED -n 's/.*=> \(.*\)\/libslurmfull\.so.*/\1/p'`"])
astra_arch=`$CC -print-multiarch 2>/dev/null`
for astra_lib in "$with_slurm/lib/$astra_arch" "$with_slurm/lib64" "$with_slurm/lib"; do
	astra_dirs="$astra_dirs $astra_lib/slurm-wlm $astra_lib/slurm"
done
SLURM_PLUGINDIR=
for astra_dir in $astra_dirs; do
	AS_IF([test -f "$astra_dir/auth_munge.so" || test -f "$astra_dir/select_cons_tres.so"],
		[SLURM_PLUGINDIR=$astra_dir; break])
done
plugindir="${with_plugindir:-$SLURM_PLUGINDIR}"
AS_IF([test -z "$plugindir"], [
	AC_MSG_RESULT([none])
	AC_MSG_ERROR([no folder with Slurm's own plugins under $with_slurm: run build-aux/setup.sh, or give --with-plugindir=DIR])])
AC_MSG_RESULT([$plugindir])
AC_SUBST([SLURM_PLUGINDIR])
AC_SUBST([plugindir])
])

dnl SLURM_LIBS: the public library. SLURMFULL_LIBS: the private one, which
dnl lies beside Slurm's plugins.
AC_DEFUN([_ASTRA_SLURM_LIBS], [
SLURM_LIBS=-lslurm
AS_IF([test "x$with_slurm" != x/usr],
	[SLURM_LIBS="-L$with_slurm/lib -Wl,-rpath,$with_slurm/lib -lslurm"])
SLURMFULL_LIBS="-L$SLURM_PLUGINDIR -Wl,-rpath,$SLURM_PLUGINDIR -lslurmfull"
AC_SUBST([SLURM_LIBS])
AC_SUBST([SLURMFULL_LIBS])
])

AC_DEFUN([_ASTRA_SLURM_TRY], [
AC_MSG_CHECKING([whether slurmctld's private headers compile])
astra_save="$CPPFLAGS"
CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "config.h"
#include "src/slurmctld/slurmctld.h"
]], [[return (int)sizeof(job_record_t) == 0;]])],
	[AC_MSG_RESULT([yes])],
	[AC_MSG_RESULT([no])
	AC_MSG_ERROR([a source file that includes src/slurmctld/slurmctld.h does not compile (see config.log): run build-aux/setup.sh --force])])
CPPFLAGS="$astra_save"
])
