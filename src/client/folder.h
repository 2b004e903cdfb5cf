/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a store, by their names in its folder:
 *	NAME.STEP.FENCE.ckpt		a snapshot: 16 and 10 digits
 *	NAME.FENCE.fence		a fence, see lineage.h
 *	NAME.STEP.FENCE.RANDOM.tmp	one that is being written
 *
 * The program acts on what it reads from these files. So only regular files
 * count that belong to the effective user and are not writable by everybody.
 * Other files are ignored, except that a new fence avoids their numbers: they
 * may have the names of its files and cannot be removed. The owner is checked
 * again on the open file, in case the name was replaced or linked meanwhile.
 * No locks.
 */
#ifndef SFAIR_FOLDER_H
#define SFAIR_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SFAIR_NAME_SIZE 101 /* size of a store's name with the NUL */
#define SFAIR_FILE_SIZE 160 /* size of a file's name */

enum sfair_kind { SFAIR_SNAPSHOT, SFAIR_FENCE, SFAIR_TEMP, SFAIR_FOREIGN };

struct sfair_file {
	enum sfair_kind kind;
	uint64_t step; /* unused by a fence */
	uint32_t fence;
	char name[SFAIR_FILE_SIZE];
};

struct sfair_files {
	struct sfair_file *list; /* owned; the latest step comes first */
	size_t count, room;
};

/* Whether a store may have this name: up to 100 letters, digits and . _ + -,
 * beginning with a letter or a digit. */
int sfair_name_valid(const char *name);

/* Set the file's name from its other fields; a temporary file gets a new
 * name. */
void sfair_file_name(struct sfair_file *file, const char *store);

/* List a store's files. Returns 0 or an errno; sfair_files_clear() frees the
 * list. */
int sfair_files_read(int folder, const char *store, struct sfair_files *files);
void sfair_files_clear(struct sfair_files *files);

/* Open a file for reading, or create a temporary file, whose name is filled in.
 * Opening never blocks on a pipe. Return 0 or an errno. ENOENT: the file of
 * this name does not count. EPERM: the created file does not count, for example
 * on a file system that gives it to another user. */
int sfair_file_open(int folder, const char *name, int *fd);
int sfair_file_create(int folder, const char *store, struct sfair_file *file,
		      int *fd);

/* Remove a file. Failures are ignored. */
void sfair_file_remove(int folder, const struct sfair_file *file);
/* Remove the files of a kind under fences with numbers below `below`. */
void sfair_files_remove(int folder, const struct sfair_files *files,
			enum sfair_kind kind, uint32_t below);

/* Whether the file of this name counts. */
bool sfair_file_counts(int folder, const char *name);

/* Returns the highest number of a fence below `below`; 0: there is none. */
uint32_t sfair_files_fence(const struct sfair_files *files, uint32_t below);

/* Find the lowest number above `last` that no foreign file has. Returns 0 or an
 * errno. */
int sfair_files_free(const struct sfair_files *files, uint32_t last,
		     uint32_t *number);

#endif
