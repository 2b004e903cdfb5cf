# SPDX-License-Identifier: GPL-2.0-or-later
# Examples beside slurm.conf. The plugstack line is live at once, so it is
# written only where there is none, and removed only while it is still ours.
dist_sysconf_DATA = etc/astraea.conf.example
plugstackdir = $(sysconfdir)/plugstack.conf.d
EXTRA_DIST += etc/plugstack.conf.d/astraea.conf

install-data-local:
	$(MKDIR_P) '$(DESTDIR)$(plugstackdir)'
	test -e '$(DESTDIR)$(plugstackdir)/astraea.conf' || \
		$(INSTALL_DATA) $(srcdir)/etc/plugstack.conf.d/astraea.conf \
			'$(DESTDIR)$(plugstackdir)/astraea.conf'

uninstall-local:
	! cmp -s $(srcdir)/etc/plugstack.conf.d/astraea.conf \
		'$(DESTDIR)$(plugstackdir)/astraea.conf' || \
		rm -f '$(DESTDIR)$(plugstackdir)/astraea.conf'
	rmdir '$(DESTDIR)$(plugstackdir)' 2>/dev/null || :
