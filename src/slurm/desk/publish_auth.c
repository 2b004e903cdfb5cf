/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/publish_auth.h"

#include <stdlib.h>
#include <string.h>

#include "src/proto/sack.h"
#include "src/proto/sign.h"
#include "src/slurm/compat/compat.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)

char *astra_publish_auth(void)
{
	char *auth;

	if (!astra_sack_is_type(slurm_conf.authtype) ||
	    asprintf(&auth, ASTRA_AUTH_SLURM ":%s",
		     slurm_conf.cluster_name ? slurm_conf.cluster_name : "") <
		    0)
		return NULL;
	return auth;
}

/* Unpack a token. Slurm packs it as the id of its plugin and a text. */
static char *auth_token_of(buf_t *packed)
{
	uint32_t plugin, size;
	char *token = NULL, *copy = NULL;

	set_buf_offset(packed, 0);
	safe_unpack32(&plugin, packed);
	safe_unpackstr_xmalloc(&token, &size, packed);
	if (token)
		copy = strdup(token);
unpack_error:
	xfree(token);
	return copy;
}

static char *auth_create(const char *payload, size_t size, uint32_t reader)
{
	void *cred =
		auth_g_create(AUTH_DEFAULT_INDEX, slurm_conf.authinfo, reader,
			      (void *)(uintptr_t)payload, (int)size);
	buf_t *packed = init_buf(BUF_SIZE);
	char *token = NULL;

	if (cred && packed &&
	    !auth_g_pack(cred, packed, SLURM_PROTOCOL_VERSION))
		token = auth_token_of(packed);
	if (cred)
		auth_g_destroy(cred);
	FREE_NULL_BUFFER(packed);
	return token;
}

static void *auth_unpack(const char *token)
{
	buf_t *packed = init_buf(BUF_SIZE);
	void *cred = NULL;

	if (!packed)
		return NULL;
	pack32(AUTH_PLUGIN_SLURM, packed);
	packmem((void *)(uintptr_t)token, (uint32_t)strlen(token) + 1, packed);
	set_buf_offset(packed, 0);
	cred = auth_g_unpack(packed, SLURM_PROTOCOL_VERSION);
	FREE_NULL_BUFFER(packed);
	return cred;
}

static int auth_check(const char *token, uint32_t *signer)
{
	void *cred = auth_unpack(token);
	uid_t uid = SLURM_AUTH_NOBODY;
	gid_t gid;

	if (cred && !auth_g_verify(cred, slurm_conf.authinfo))
		auth_g_get_ids(cred, &uid, &gid);
	if (cred)
		auth_g_destroy(cred);
	*signer = uid;
	return uid == SLURM_AUTH_NOBODY ? -1 : 0;
}

#else

char *astra_publish_auth(void)
{
	return NULL;
}

static char *auth_create(const char *payload, size_t size, uint32_t reader)
{
	(void)payload;
	(void)size;
	(void)reader;
	return NULL;
}

static int auth_check(const char *token, uint32_t *signer)
{
	(void)token;
	(void)signer;
	return -1;
}

#endif

const struct astra_slurm_auth astra_publish_slurm_auth = {
	.create = auth_create,
	.check = auth_check,
};
