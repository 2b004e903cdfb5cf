/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/check/layout.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* What xmalloc() writes before a block. */
struct header {
	size_t magic, size;
};

/* Times between 2000 and 2200. */
#define TIME_MIN 946684800
#define TIME_MAX 7258118400
#define TEXT_LOOK 4096

/* The layout of Slurm's blocks, learned from blocks of our own. */
static pthread_once_t learn_once = PTHREAD_ONCE_INIT;
static struct {
	size_t magic;	  /* of xmalloc() */
	size_t list_size; /* of a list_t */
	uint32_t list_magic;
	bitstr_t bits_magic;
} known;

/* Copy memory that may not exist. Returns 0, or -1 when it cannot be read. */
static int memory_copy(void *to, const void *from, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
	ssize_t n = process_vm_readv(getpid(), &here, 1, &there, 1, 0);

	return n == (ssize_t)size ? 0 : -1;
}

static void layout_learn(void)
{
	char *block = xmalloc(sizeof(known));
	list_t *list = list_create(NULL);
	bitstr_t *bits = bit_alloc(64);
	struct header header;

	if (memory_copy(&header, block - sizeof(header), sizeof(header)) == 0 &&
	    header.size == sizeof(known))
		known.magic = header.magic;
	known.list_size = astra_block_size(list);
	memcpy(&known.list_magic, list, sizeof(known.list_magic));
	known.bits_magic = bits[0];
	xfree(block);
	list_destroy(list);
	bit_free(bits);
}

static size_t block_size(const void *block)
{
	struct header header;

	if (!known.magic || (uintptr_t)block % sizeof(size_t) ||
	    (uintptr_t)block < sizeof(header) ||
	    memory_copy(&header, (const char *)block - sizeof(header),
			sizeof(header)) < 0 ||
	    header.magic != known.magic)
		return 0;
	return header.size;
}

size_t astra_block_size(const void *block)
{
	return block_size(block);
}

static bool is_text(const char *text)
{
	char copy[TEXT_LOOK];
	size_t size = block_size(text);

	if (!size)
		return false;
	if (size > sizeof(copy))
		return true;
	return memory_copy(copy, text, size) == 0 && memchr(copy, 0, size);
}

static bool is_list(const void *list)
{
	uint32_t magic;

	return block_size(list) == known.list_size &&
	       memory_copy(&magic, list, sizeof(magic)) == 0 &&
	       magic == known.list_magic;
}

static bool is_bits(const void *bits)
{
	bitstr_t magic;

	return block_size(bits) &&
	       memory_copy(&magic, bits, sizeof(magic)) == 0 &&
	       magic == known.bits_magic;
}

static bool layout_is_time(int64_t t)
{
	return t == 0 || t == NO_VAL || t == INFINITE ||
	       (t >= TIME_MIN && t <= TIME_MAX);
}

static bool points_to(const struct astra_layout_member *m, const void *p)
{
	size_t size;

	if (!p)
		return true;
	switch (m->kind) {
	case ASTRA_KIND_TEXT:
		return is_text(p);
	case ASTRA_KIND_LIST:
		return is_list(p);
	case ASTRA_KIND_BITS:
		return is_bits(p);
	default:
		size = block_size(p);
		return size && (!m->block || size == m->block);
	}
}

static bool is_member(const struct astra_layout_member *m, const char *at)
{
	const void *p;
	int64_t t;

	switch (m->kind) {
	case ASTRA_KIND_NUMBER:
		return true;
	case ASTRA_KIND_FLAG:
		return *(const unsigned char *)at <= 1;
	case ASTRA_KIND_TIME:
		memcpy(&t, at, sizeof(t));
		return layout_is_time(t);
	default:
		memcpy(&p, at, sizeof(p));
		return points_to(m, p);
	}
}

/* Report a member that does not fit. If it points to a block of another size,
 * report both sizes. */
static int layout_tell(const char *layout, const struct astra_layout_member *m,
		       const char *at, struct astra_error *err)
{
	const void *p = NULL;
	size_t size;

	if (m->block)
		memcpy(&p, at, sizeof(p));
	size = block_size(p);
	if (size)
		return astra_error_set(err,
				       "%s of a %s has %zu bytes in slurmctld "
				       "and %u here",
				       m->name, layout, size, m->block);
	return astra_error_set(err, "what it takes for %s of a %s is none",
			       m->name, layout);
}

int astra_layout_check_members(const struct astra_layout *layout,
			       const void *record, struct astra_error *err)
{
	pthread_once(&learn_once, layout_learn);
	for (size_t i = 0; i < layout->count; i++) {
		const struct astra_layout_member *m = &layout->members[i];
		const char *at = (const char *)record + m->offset;

		if (!is_member(m, at))
			return layout_tell(layout->name, m, at, err);
	}
	return 0;
}

int astra_layout_check(const struct astra_layout *layout, const void *record,
		       struct astra_error *err)
{
	size_t size;
	uint32_t magic;

	pthread_once(&learn_once, layout_learn);
	size = block_size(record);
	if (!size)
		return astra_error_set(err, "what it takes for a %s is none",
				       layout->name);
	if (size != layout->size)
		return astra_error_set(
			err, "a %s has %zu bytes in slurmctld and %u here",
			layout->name, size, layout->size);
	memcpy(&magic, (const char *)record + layout->magic_at, sizeof(magic));
	if (layout->magic && magic != layout->magic)
		return astra_error_set(err, "a %s has no magic number",
				       layout->name);
	return astra_layout_check_members(layout, record, err);
}

int astra_layout_check_variable(const char *name, const void *variable,
				size_t size, struct astra_error *err)
{
	Dl_info info;
	ElfW(Sym) *symbol = NULL;

	if (!variable)
		return astra_error_set(err, "slurmctld has no %s", name);
	if (!dladdr1(variable, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol || info.dli_saddr != variable || !symbol->st_size ||
	    symbol->st_size == size)
		return 0;
	return astra_error_set(err,
			       "%s has %zu bytes in slurmctld and %zu here",
			       name, (size_t)symbol->st_size, size);
}
