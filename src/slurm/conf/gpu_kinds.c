/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/conf/gpu_kinds.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *gpu_kinds_digits(const char *text)
{
	while (isdigit((unsigned char)*text))
		text++;
	return text;
}

/* Whether the text begins with a profile such as "3g.20gb". */
static bool is_profile(const char *text)
{
	const char *at = gpu_kinds_digits(text);

	if (at == text || strncasecmp(at, "g.", 2) != 0)
		return false;
	text = at + 2;
	at = gpu_kinds_digits(text);
	return at > text && !strncasecmp(at, "gb", 2);
}

bool astra_gpu_is_mig(const char *type)
{
	for (; *type; type++)
		if (is_profile(type))
			return true;
	return false;
}

static void gpu_kinds_note(struct astra_gpu_kind *kind, const char *node,
			   const char *type)
{
	if (*kind->type)
		return;
	snprintf(kind->type, sizeof(kind->type), "%s", type);
	snprintf(kind->node, sizeof(kind->node), "%s", node);
}

void astra_gpu_kinds_add(struct astra_gpu_kinds *kinds,
			 const struct astra_weights *weights, const char *node,
			 const char *type)
{
	if (!astra_gpu_is_mig(type)) {
		gpu_kinds_note(&kinds->whole, node, type);
		return;
	}
	gpu_kinds_note(&kinds->mig, node, type);
	if (!astra_weights_have(weights, type))
		gpu_kinds_note(&kinds->unweighed, node, type);
}

void astra_gpu_kinds_add_gres(struct astra_gpu_kinds *kinds,
			      const struct astra_weights *weights,
			      const char *node, const char *gres)
{
	while (gres && *gres) {
		size_t length = strcspn(gres, ",");
		char type[ASTRA_GPU_KIND_MAX] = "";

		/* In gpu:N, the count is at the place of the type. */
		if (sscanf(gres, "gpu:%63[^:,(]", type) == 1 &&
		    strlen(type) + 4 < length && gres[4 + strlen(type)] == ':')
			astra_gpu_kinds_add(kinds, weights, node, type);
		gres += length;
		gres += *gres == ',';
	}
}

int astra_gpu_kinds_check(const struct astra_gpu_kinds *kinds, const char *pool,
			  struct astra_error *err)
{
	if (!*kinds->whole.type || !*kinds->mig.type)
		return 0;
	if (!strcmp(kinds->mig.node, kinds->whole.node))
		return astra_error_set(
			err,
			"pool %s: node %s has devices of MIG, gpu:%s, and "
			"whole GPUs, gpu:%s: a job for one GPU could get "
			"either; switch MIG on for all GPUs of a node, or for "
			"none",
			pool, kinds->mig.node, kinds->mig.type,
			kinds->whole.type);
	return astra_error_set(
		err,
		"pool %s: node %s has devices of MIG, gpu:%s, and node %s "
		"whole GPUs, gpu:%s: a job for one GPU could get either; give "
		"each kind partitions and a pool of its own",
		pool, kinds->mig.node, kinds->mig.type, kinds->whole.node,
		kinds->whole.type);
}

void astra_gpu_kinds_warn(const struct astra_gpu_kinds *kinds, const char *pool,
			  struct astra_error *out)
{
	if (*kinds->unweighed.type)
		astra_error_add(out,
				"pool %s: GPUWeight does not name gpu:%s of "
				"node %s, a device of MIG: it counts as a "
				"whole GPU",
				pool, kinds->unweighed.type,
				kinds->unweighed.node);
}
