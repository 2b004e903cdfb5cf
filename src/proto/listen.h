/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listening on the network. */
#ifndef ASTRA_LISTEN_H
#define ASTRA_LISTEN_H

#include <stdbool.h>

#include "src/common/error.h"

/* Whether where is [ADDRESS:]PORT, the port from least on. The address is not
 * looked at. */
bool astra_listen_valid(const char *where, unsigned long least);

/* Whether the address of a valid one, if any, is a number, as it must be to be
 * listened at: no name is looked up. */
bool astra_listen_numeric(const char *where);

/* The port that is listened at by default: beside slurmctld's own, 0 (the
 * kernel's choice) where there is none. */
unsigned int astra_listen_default(unsigned int slurmctld_port);

/* Listen there, without an address on all of the host.
 * option: its name, for err. backlog: as listen(2) takes it.
 * Returns a descriptor that does not block, or -1 with err set. */
int astra_listen(const char *option, const char *where, int backlog,
		 struct astra_error *err);

#endif
