/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Last store with 64 MiB: a put against the memcpy() that it needs, a save
 * against writing and syncing a file, a load against reading one. In the folder
 * of the argument [.]. Medians; nothing is asserted. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/client/sfair.h"
#include "testsuite/bench/bench.h"

#define SIZE ((size_t)64 << 20)
#define REPEATS 11
#define WARM 2 /* rounds that touch both buffers */

enum { PUT, COPY, SAVE, WRITE, LOAD, READ, WHAT };

static double samples[WHAT][REPEATS];
static char *state, *copy;
static char folder[4096], plain[4200];

static int write_plain(void)
{
	int fd = open(plain, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size_t at = 0;
	ssize_t n;

	while (fd >= 0 && at < SIZE && (n = write(fd, state + at, SIZE - at)))
		at += n > 0 ? (size_t)n : SIZE;
	return at == SIZE && !fsync(fd) ? close(fd) : -1;
}

static int read_plain(void)
{
	int fd = open(plain, O_RDONLY);
	char *data = malloc(SIZE);
	ssize_t n = fd >= 0 && data ? read(fd, data, SIZE) : -1;

	free(data);
	return n == (ssize_t)SIZE ? close(fd) : -1;
}

static int load(struct sfair_store *store)
{
	uint64_t step;
	size_t size;
	void *data;
	int rc = sfair_store_load(store, &data, &size, &step);

	if (!rc)
		free(data);
	return rc;
}

/* The one is done just before or after the other, so that both meet the same
 * machine. */
static int measure(struct sfair_store *store, int i)
{
	double times[WHAT + 1];
	int rc = 0;

	memset(state, i, SIZE / 2);
	times[0] = bench_now_ms();
	rc |= sfair_store_put(store, (uint64_t)(i + WARM), state, SIZE);
	times[1] = bench_now_ms();
	memcpy(copy, state, SIZE);
	__asm__ volatile("" ::"r"(copy) : "memory");
	times[2] = bench_now_ms();
	rc |= sfair_store_save(store);
	times[3] = bench_now_ms();
	rc |= write_plain();
	times[4] = bench_now_ms();
	rc |= load(store);
	times[5] = bench_now_ms();
	rc |= read_plain();
	times[6] = bench_now_ms();
	for (int k = 0; i >= 0 && k < WHAT; k++)
		samples[k][i] = times[k + 1] - times[k];
	return rc;
}

static void print_pair(const char *name, int ours, const char *other_name,
		       int other)
{
	double a = bench_median(samples[ours], REPEATS);
	double b = bench_median(samples[other], REPEATS);

	printf("%-5s %7.1f ms   %-14s %7.1f ms   %5.2f\n", name, a, other_name,
	       b, a / b);
}

static void remove_store(void)
{
	char command[4300];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	if (system(command))
		perror(folder);
}

int main(int argc, char **argv)
{
	struct sfair_store *store;
	int rc = 0;

	snprintf(folder, sizeof(folder), "%s/bench-store.XXXXXX",
		 argc > 1 ? argv[1] : ".");
	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	snprintf(plain, sizeof(plain), "%s/plain", folder);
	state = malloc(SIZE);
	copy = malloc(SIZE);
	store = sfair_store_open(folder, "bench", 2);
	if (!state || !copy || !store) {
		perror(folder);
		return 1;
	}
	memset(state, 1, SIZE);
	memset(copy, 1, SIZE);
	for (int i = -WARM; !rc && i < REPEATS; i++)
		rc = measure(store, i);
	rc |= sfair_store_close(store);
	if (rc)
		perror(folder);
	remove_store();
	print_pair("put", PUT, "memcpy", COPY);
	print_pair("save", SAVE, "write + fsync", WRITE);
	print_pair("load", LOAD, "read", READ);
	free(state);
	free(copy);
	return rc ? 1 : 0;
}
