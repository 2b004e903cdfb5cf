# SPDX-License-Identifier: GPL-2.0-or-later
# Man pages go to dist_man_MANS, all else to dist_doc_DATA.

dist_man_MANS += doc/man1/sfair.1
dist_doc_DATA += doc/protocol.md
