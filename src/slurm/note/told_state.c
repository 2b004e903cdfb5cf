/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/told_state.h"

#include <stdlib.h>
#include <string.h>

#include "src/slurm/note/bids.h"
#include "src/slurm/note/progress.h"

#define FORMAT 1
#define PARTS_MAX 64 /* more than any release has */

static const struct part {
	const char *name;
	uint32_t version;
	bool (*changed)(void);
	void (*save)(struct astra_bytes *out);
	int (*restore)(struct astra_reader *in, uint32_t version,
		       double now_sec);
} parts[] = {
	{"progress", ASTRA_PROGRESS_VERSION, astra_progress_changed,
	 astra_progress_save, astra_progress_restore},
	{"bids", ASTRA_BIDS_VERSION, astra_bids_changed, astra_bids_save,
	 astra_bids_restore},
};

#define PART_COUNT (sizeof(parts) / sizeof(*parts))

bool astra_told_changed(void)
{
	for (size_t i = 0; i < PART_COUNT; i++)
		if (parts[i].changed())
			return true;
	return false;
}

int astra_told_encode(struct astra_bytes *out)
{
	astra_put_u32(out, FORMAT);
	astra_put_u32(out, PART_COUNT);
	for (size_t i = 0; i < PART_COUNT; i++) {
		struct astra_bytes part = {0};

		parts[i].save(&part);
		astra_put_text(out, parts[i].name);
		astra_put_u32(out, parts[i].version);
		astra_put_u32(out, (uint32_t)part.size);
		astra_put_bytes(out, part.data, part.size);
		out->failed |= part.failed || part.size > UINT32_MAX;
		astra_bytes_clear(&part);
	}
	return out->failed ? -1 : 0;
}

static const struct part *find_part(const char *name)
{
	for (size_t i = 0; i < PART_COUNT; i++)
		if (!strcmp(parts[i].name, name))
			return &parts[i];
	return NULL;
}

static void told_state_blame(struct astra_error *err, const char *name,
			     uint32_t version, const struct part *part)
{
	if (!part || version != part->version)
		astra_error_set(err,
				"its part \"%.32s\" of version %u is of "
				"another release",
				name, version);
	else
		astra_error_set(err, "its part \"%s\" makes no sense", name);
}

static int decode_part(struct astra_reader *in, double now_sec,
		       struct astra_error *err)
{
	char *name = astra_get_text(in);
	uint32_t version = astra_get_u32(in), size = astra_get_u32(in);
	const struct part *part = name ? find_part(name) : NULL;
	struct astra_reader body = {.data = astra_get_bytes(in, size),
				    .size = size};
	int rc = -1;

	if (in->failed || !name)
		astra_error_set(err, "it ends early");
	else if (part && part->restore(&body, version, now_sec) == 0)
		rc = 0;
	else
		told_state_blame(err, name, version, part);
	free(name);
	return rc;
}

int astra_told_decode(const void *data, size_t size, double now_sec,
		      struct astra_error *err)
{
	struct astra_reader in = {.data = data, .size = size};
	uint32_t format = astra_get_u32(&in), count = astra_get_u32(&in);
	int rc = 0;

	if (in.failed || format != FORMAT)
		return astra_error_set(err,
				       "it is of version %u, this release "
				       "reads %u",
				       format, FORMAT);
	if (count > PARTS_MAX)
		return astra_error_set(err, "it makes no sense");
	for (uint32_t i = 0; i < count && !in.failed; i++)
		if (decode_part(&in, now_sec, err) < 0)
			rc = -1;
	return rc;
}
