/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Listening on the network. */
#ifndef ASTRA_LISTEN_H
#define ASTRA_LISTEN_H

#include <stdbool.h>

#include "src/common/error.h"

/* Whether `where` is [ADDRESS:]PORT with a port of at least `least`. The
 * address is not checked. */
bool astra_listen_valid(const char *where, unsigned long least);

/* Whether the address in a valid `where`, if any, is numeric. astra_listen()
 * requires this, as it looks up no names. */
bool astra_listen_numeric(const char *where);

/* Returns the default port, which is slurmctld's own + 1000; 0 (the kernel's
 * choice) if there is no such port. */
unsigned int astra_listen_default(unsigned int slurmctld_port);

/* Listens at `where`; without an address, at all addresses of the host.
 * option: its name, for err. backlog: as listen(2) takes it.
 * Returns a descriptor that does not block, or -1 with err set. */
int astra_listen(const char *option, const char *where, int backlog,
		 struct astra_error *err);

#endif
