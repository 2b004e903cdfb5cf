# SPDX-License-Identifier: GPL-2.0-or-later
# Themis: partial-allocation auctions for finish-time fairness.
libastra_policy_la_SOURCES += \
	src/policy/themis/app.h \
	src/policy/themis/auction.h
libastra_decide_la_SOURCES +=
