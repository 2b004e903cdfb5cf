/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases that are processes of their own, such as of what is read only once. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testsuite/unit/unit.h"

/* In a child, where cmocka's macros do not work. */
#define WANT(condition)                                            \
	do {                                                       \
		if (!(condition)) {                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, \
				#condition);                       \
			_exit(1);                                  \
		}                                                  \
	} while (0)

static inline void run_in_child(void (*body)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		alarm(120); /* a machine may be busy */
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#endif
