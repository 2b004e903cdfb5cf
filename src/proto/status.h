/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the plugin answers queries. slurmctld tells this to everybody who may
 * query it, in the status of its burst buffer plugin, "scontrol show
 * bbstat". */
#ifndef ASTRA_STATUS_H
#define ASTRA_STATUS_H

#include <stdbool.h>

#include "src/common/text.h"

struct astra_status {
	bool answers;	   /* the plugin answers queries */
	unsigned int port; /* on the network; 0: it does not listen there */
	char host[256];	   /* its host as in SlurmctldHost; "": unknown */
};

/* Writes one line. */
void astra_status_write(const struct astra_status *status,
			struct astra_text *out);

/* Reads the plugin's line. text: untrusted; may be NULL. Ignores unknown keys.
 * Returns whether the text is the plugin's; if not, out is unchanged. */
bool astra_status_read(const char *text, struct astra_status *out);

#endif
