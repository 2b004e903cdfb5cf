/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which request a signed reply answers. MUNGE says who signed it and when, and
 * not to what: without this one reply could be given for another, or an older
 * one again. The first key of such a reply is "to", the SHA-256 of the
 * request's credential, of which no two are alike. */
#ifndef ASTRA_BIND_H
#define ASTRA_BIND_H

#include <stddef.h>

#include "src/common/error.h"
#include "src/common/text.h"

/* Have a reply say whom it answers.
 * reply: a JSON object that is not empty. credential: the request's bytes.
 * out: added to; marked failed when memory is out. */
void astra_bind(const char *reply, size_t size, const char *credential,
		size_t credential_size, struct astra_text *out);

/* Look whether it does, and take that out of it.
 * reply: of size bytes, and a NUL. from: who replied, for err.
 * Returns 0, or -1 with err set: it answers another request, or does not say.
 */
int astra_bind_check(char *reply, size_t size, const char *credential,
		     const char *from, struct astra_error *err);

#endif
