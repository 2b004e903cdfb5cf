# SPDX-License-Identifier: GPL-2.0-or-later
# The interface of the policies and the list of them; each has a folder.
libastra_engine_a_SOURCES += \
	src/policies/forecast.c \
	src/policies/forecast.h \
	src/policies/ltgf/ltgf.c \
	src/policies/ltgf/ltgf.h \
	src/policies/offer.c \
	src/policies/offer.h \
	src/policies/policy.h \
	src/policies/registry.c
