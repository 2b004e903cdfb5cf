# SPDX-License-Identifier: GPL-2.0-or-later
# What Debian's and RPM's packages are made of. "make install" installs none of
# it.
dist_check_SCRIPTS += testsuite/unit/packages.sh testsuite/unit/packages_dpkg.sh
EXTRA_DIST += contrib/packages/astraea-rebuild contrib/packages/in-use \
	contrib/packages/astraea.rpmlintrc contrib/packages/astraea.spec \
	doc/man8/astraea-rebuild.8
EXTRA_DIST += \
	debian/astraea-doc.docs debian/astraea-doc.examples \
	debian/astraea-slurmctld.install debian/astraea-slurmctld.lintian-overrides \
	debian/astraea-slurmctld.postinst debian/astraea-slurmctld.postrm \
	debian/astraea-slurmctld.preinst debian/astraea-slurmctld.prerm \
	debian/astraea-source.install debian/astraea-source.lintian-overrides \
	debian/astraea-source.manpages \
	debian/astraea-source.postinst debian/astraea-source.postrm \
	debian/astraea-source.prerm debian/astraea-source.triggers \
	debian/astraea-spank.examples debian/astraea-spank.install \
	debian/astraea-spank.lintian-overrides debian/astraea-spank.postrm \
	debian/changelog debian/clean debian/control debian/copyright \
	debian/libsfair-dev.install debian/libsfair-dev.manpages \
	debian/libsfair0.install debian/libsfair0.lintian-overrides debian/libsfair0.symbols \
	debian/not-installed \
	debian/python3-sfair.install debian/rules debian/sfair.examples debian/shared.sh \
	debian/sfair.install debian/sfair.lintian-overrides debian/sfair.manpages \
	debian/sfair.postinst debian/sfair.triggers \
	debian/slurm-substvars debian/source/format
EXTRA_DIST += contrib/container/Dockerfile \
	contrib/container/Dockerfile.dockerignore
