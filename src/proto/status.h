/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the plugin answers. slurmctld tells everybody who may query it: in the
 * status of its burst buffer plugin, "scontrol show bbstat". */
#ifndef ASTRA_STATUS_H
#define ASTRA_STATUS_H

#include <stdbool.h>

#include "src/common/text.h"

struct astra_status {
	bool answers;	   /* to queries */
	unsigned int port; /* on the network; 0: does not listen there */
	char host[256];	   /* its name in SlurmctldHost; "": unknown */
};

/* Writes one line. */
void astra_status_write(const struct astra_status *status,
			struct astra_text *out);

/* Reads the plugin's line. text: untrusted; may be NULL. Ignores unknown keys.
 * Returns whether the text is the plugin's; if not, out is untouched. */
bool astra_status_read(const char *text, struct astra_status *out);

#endif
