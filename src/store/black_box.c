/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/store/black_box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "src/common/fnv.h"

#define MAGIC UINT32_C(0x41424f58) /* "ABOX" */
#define SLOTS 16384

struct slot {
	uint64_t seq; /* 0: the slot was never used */
	uint32_t crc; /* checksum of seq and the event */
	uint32_t zero;
	struct astra_box_event event;
};

struct ring {
	uint32_t magic;
	uint32_t beat_sec; /* when the process was last alive; 0: unknown */
	uint32_t slots, slot_bytes;
	struct slot slot[SLOTS];
};

struct astra_box {
	struct ring *ring;
	int fd;
	uint64_t seq; /* number of the newest event */
};

static uint32_t black_box_checksum(uint64_t seq,
				   const struct astra_box_event *event)
{
	uLong crc = crc32(0, (const Bytef *)&seq, sizeof(seq));

	return (uint32_t)crc32(crc, (const Bytef *)event, sizeof(*event));
}

static bool black_box_is_whole(const struct slot *s)
{
	return s->seq && s->crc == black_box_checksum(s->seq, &s->event);
}

static bool black_box_is_ours(const struct ring *r)
{
	return r->magic == MAGIC && r->slots == SLOTS &&
	       r->slot_bytes == sizeof(struct slot);
}

/* Allocates the whole file now. Otherwise a later store into memory that cannot
 * be allocated would kill the process. Returns 0, or -1 with errno set. */
static int black_box_make_room(int fd)
{
	int rc = ftruncate(fd, 0) < 0 ? errno : 0;

	if (!rc)
		rc = posix_fallocate(fd, 0, sizeof(struct ring));
	errno = rc;
	return rc ? -1 : 0;
}

/* Opens the file, or makes it. A file of that name that belongs to another user
 * is refused. Returns the descriptor, or -1 with err set. */
static int black_box_open_file(const char *name, struct astra_error *err)
{
	int fd = shm_open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		goto failed;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
		close(fd);
		return astra_error_set(err,
				       "shared memory %s belongs to user %u: "
				       "remove it",
				       name, (unsigned int)st.st_uid);
	}
	if ((size_t)st.st_size == sizeof(struct ring) ||
	    black_box_make_room(fd) == 0)
		return fd;
failed:
	astra_error_set(err, "shared memory %s: %s", name, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static struct ring *map(int fd)
{
	struct ring *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
			      MAP_SHARED, fd, 0);

	if (r == MAP_FAILED)
		return NULL;
	if (black_box_is_ours(r))
		return r;
	memset(r, 0, sizeof(*r));
	r->magic = MAGIC;
	r->slots = SLOTS;
	r->slot_bytes = sizeof(struct slot);
	return r;
}

static uint64_t last_seq(const struct ring *r)
{
	uint64_t last = 0;

	for (size_t i = 0; i < SLOTS; i++)
		if (black_box_is_whole(&r->slot[i]) && r->slot[i].seq > last)
			last = r->slot[i].seq;
	return last;
}

bool astra_box_is_taken(const char *name)
{
	char path[NAME_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "/dev/shm%s", name);
	return lstat(path, &st) == 0 && st.st_uid != geteuid();
}

struct astra_box *astra_box_open(const char *name, struct astra_error *err)
{
	struct astra_box *box = calloc(1, sizeof(*box));

	if (!box) {
		astra_error_nomem(err);
		return NULL;
	}
	box->fd = black_box_open_file(name, err);
	if (box->fd >= 0) {
		box->ring = map(box->fd);
		if (!box->ring) {
			astra_error_set(err, "shared memory %s: %s", name,
					strerror(errno));
			close(box->fd);
		}
	}
	if (!box->ring) {
		free(box);
		return NULL;
	}
	box->seq = last_seq(box->ring);
	return box;
}

void astra_box_close(struct astra_box *box)
{
	if (!box)
		return;
	munmap(box->ring, sizeof(*box->ring));
	close(box->fd);
	free(box);
}

/* Returns the fingerprint of a host list that does not fit. It is never 0. */
static uint64_t black_box_print(const char *nodes)
{
	uint64_t print = astra_fnv64_text(ASTRA_FNV64_BASIS, nodes);

	return print ? print : 1;
}

/* Where the fingerprint is. It leaves out the last byte, which box_trim() sets
 * to 0. */
#define PRINT_AT (ASTRA_BOX_NODES - 1 - sizeof(uint64_t))

void astra_box_name(struct astra_box_event *event, const char *nodes,
		    const char *tres)
{
	size_t length = nodes ? strlen(nodes) : 0;
	size_t behind = tres ? strlen(tres) : 0;
	uint64_t print;

	memset(event->nodes, 0, sizeof(event->nodes));
	if (behind + 2 > PRINT_AT)
		behind = 0;
	if (length + behind + 2 > sizeof(event->nodes)) {
		print = black_box_print(nodes);
		memcpy(event->nodes + PRINT_AT, &print, sizeof(print));
		length = 0;
	}
	if (length)
		memcpy(event->nodes, nodes, length);
	if (behind)
		memcpy(event->nodes + length + 1, tres, behind);
}

bool astra_box_has_nodes(const struct astra_box_event *event, const char *nodes)
{
	uint64_t print;

	if (!nodes || !*nodes || *event->nodes)
		return nodes && *nodes && !strcmp(nodes, event->nodes);
	memcpy(&print, event->nodes + PRINT_AT, sizeof(print));
	return print == black_box_print(nodes);
}

const char *astra_box_tres(const struct astra_box_event *event)
{
	size_t length = strlen(event->nodes);

	if (!event->has_index || length + 1 >= sizeof(event->nodes))
		return "";
	return event->nodes + length + 1;
}

void astra_box_beat(struct astra_box *box, time_t now)
{
	if (box)
		__atomic_store_n(&box->ring->beat_sec, (uint32_t)now,
				 __ATOMIC_RELAXED);
}

time_t astra_box_last_beat(const struct astra_box *box)
{
	return box ? (time_t)box->ring->beat_sec : 0;
}

bool astra_box_is_gone(const struct astra_box *box)
{
	struct stat st;

	return box && fstat(box->fd, &st) == 0 && st.st_nlink == 0;
}

/* While a slot is written, it is invalid: seq is stored last. */
void astra_box_add(struct astra_box *box, const struct astra_box_event *event)
{
	struct slot *s;

	if (!box)
		return;
	s = &box->ring->slot[++box->seq % SLOTS];
	s->seq = 0;
	s->event = *event;
	s->crc = black_box_checksum(box->seq, &s->event);
	__atomic_store_n(&s->seq, box->seq, __ATOMIC_RELEASE);
}

/* Makes an event safe to use, as another process may have written it. An
 * earlier release had a longer `nodes` in place of `index`. */
static void box_trim(struct astra_box_event *e)
{
	if (!e->has_index) {
		e->index = 0;
		if (!memchr(e->nodes, '\0', sizeof(e->nodes)))
			e->nodes[0] = '\0';
	}
	e->nodes[ASTRA_BOX_NODES - 1] = '\0';
}

size_t astra_box_read(const struct astra_box *box,
		      struct astra_box_event **list)
{
	size_t count = 0;

	*list = box ? malloc(SLOTS * sizeof(**list)) : NULL;
	if (!*list)
		return 0;
	/* The slot after the newest one is the oldest. */
	for (uint64_t i = 1; i <= SLOTS; i++) {
		const struct slot *s = &box->ring->slot[(box->seq + i) % SLOTS];

		if (!black_box_is_whole(s))
			continue;
		(*list)[count] = s->event;
		box_trim(&(*list)[count++]);
	}
	return count;
}
