/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/note/bid_files.h"

#include <stdlib.h>

#include "src/common/grow.h"
#include "src/common/idmap.h"
#include "src/proto/bid_text.h"

#define USER_PART 4

static struct astra_bid_file *files;
static size_t file_count, file_room;
static struct astra_idmap by_job;
static size_t wanted; /* texts wanted in this round */

static struct astra_bid_file *bid_files_find(uint32_t job)
{
	uint32_t at = astra_idmap_get(&by_job, job);

	return at == ASTRA_IDMAP_NONE ? NULL : &files[at];
}

static size_t bid_files_numbers_of(const struct astra_bid_file *file)
{
	return (size_t)ASTRA_LEVEL_COUNT * file->gpus_max;
}

/* Whether a user may have this many more numbers. */
static bool bid_files_has_room(uint32_t uid, size_t numbers)
{
	size_t all = numbers, own = numbers;

	for (size_t i = 0; i < file_count; i++) {
		all += bid_files_numbers_of(&files[i]);
		if (files[i].uid == uid)
			own += bid_files_numbers_of(&files[i]);
	}
	return all <= ASTRA_BID_FILES_NUMBERS_MAX &&
	       own <= ASTRA_BID_FILES_NUMBERS_MAX / USER_PART;
}

bool astra_bid_files_want(uint32_t job)
{
	if (wanted >= ASTRA_BID_FILES_ROUND ||
	    file_count >= ASTRA_BID_FILES_MAX || bid_files_find(job))
		return false;
	wanted++;
	return true;
}

static void bid_files_read_table(struct astra_bid_file *file, const char *text,
				 const double slowdown[ASTRA_LEVEL_COUNT])
{
	struct astra_curves curves;
	uint32_t gpus;

	if (astra_bid_text_read(text, &curves, NULL) < 0)
		return;
	gpus = astra_curves_gpus(&curves);
	if (bid_files_has_room(file->uid, (size_t)ASTRA_LEVEL_COUNT * gpus))
		file->table = calloc((size_t)ASTRA_LEVEL_COUNT * gpus,
				     sizeof(*file->table));
	if (file->table) {
		astra_curves_table(&curves, slowdown, gpus, file->table);
		file->gpus_max = gpus;
	}
	astra_curves_clear(&curves);
}

void astra_bid_files_learn(uint32_t job, uint32_t uid, const char *text,
			   const double slowdown[ASTRA_LEVEL_COUNT])
{
	struct astra_bid_file file = {.job = job, .uid = uid, .seen = true};

	if (bid_files_find(job) || file_count >= ASTRA_BID_FILES_MAX ||
	    astra_grow(&files, &file_room, file_count + 1, sizeof(*files)) <
		    0 ||
	    astra_idmap_put(&by_job, job, (uint32_t)file_count) < 0)
		return;
	bid_files_read_table(&file, text, slowdown);
	files[file_count++] = file;
}

const struct astra_bid_file *astra_bid_files_find(uint32_t job)
{
	struct astra_bid_file *file = file_count ? bid_files_find(job) : NULL;

	if (!file)
		return NULL;
	file->seen = true;
	return file->gpus_max ? file : NULL;
}

void astra_bid_files_begin(void)
{
	wanted = 0;
	for (size_t i = 0; i < file_count; i++)
		files[i].seen = false;
}

static void bid_files_drop(size_t at)
{
	astra_idmap_del(&by_job, files[at].job);
	free(files[at].table);
	if (at != --file_count) {
		files[at] = files[file_count];
		/* The key exists already, so this call needs no memory. */
		(void)astra_idmap_put(&by_job, files[at].job, (uint32_t)at);
	}
}

void astra_bid_files_end(void)
{
	for (size_t i = file_count; i-- > 0;)
		if (!files[i].seen)
			bid_files_drop(i);
}

void astra_bid_files_free(void)
{
	while (file_count)
		bid_files_drop(file_count - 1);
	free(files);
	files = NULL;
	file_room = wanted = 0;
	astra_idmap_clear(&by_job);
}
