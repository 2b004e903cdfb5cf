/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the plugin answers, as slurmctld tells everybody who may ask it
 * anything: the status of its burst buffer plugin, "scontrol show bbstat". */
#ifndef ASTRA_STATUS_H
#define ASTRA_STATUS_H

#include <stdbool.h>

#include "src/common/text.h"

struct astra_status {
	bool answers;	   /* queries */
	unsigned int port; /* on the network; 0: not there */
	char host[256];	   /* of SlurmctldHost, which one it is; "": unknown */
};

/* Write one line. */
void astra_status_write(const struct astra_status *status,
			struct astra_text *out);

/* text: from outside; NULL: none. Keys that are not known are passed over.
 * Returns whether it is the plugin's; out is untouched if not. */
bool astra_status_read(const char *text, struct astra_status *out);

#endif
