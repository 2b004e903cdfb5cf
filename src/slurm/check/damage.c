/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/check/damage.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "src/slurm/compat/compat.h"
#include "src/store/state_file.h"

/* guards said: one thread reads the pools, another the learned values */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct astra_error said;

void astra_damage_tell(const char *fmt, ...)
{
	struct astra_error text;
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text.text, sizeof(text.text), fmt, args);
	va_end(args);
	error("astraea: %s", text.text);
	pthread_mutex_lock(&lock);
	astra_error_add(&said, "%s", text.text);
	pthread_mutex_unlock(&lock);
}

void astra_damage_keep(const char *path)
{
	if (astra_state_keep(path) == 0)
		error("astraea: %s is kept as %s.kept", path, path);
}

void astra_damage_warn(struct astra_error *out)
{
	pthread_mutex_lock(&lock);
	if (*said.text)
		astra_error_add(out, "%s", said.text);
	pthread_mutex_unlock(&lock);
}

void astra_damage_forget(void)
{
	pthread_mutex_lock(&lock);
	said = (struct astra_error){""};
	pthread_mutex_unlock(&lock);
}
