# SPDX-License-Identifier: GPL-2.0-or-later
# Incentive: own shares first, then what is unused at posted prices.
libastra_policy_la_SOURCES +=
libastra_decide_la_SOURCES +=
