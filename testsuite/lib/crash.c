/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into each process of a test: where it dies by a fault of its own
 * (SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE) the file $ASTRAEA_CRASHES/NAME.PID
 * says which program it was, by what and where. What kill() sends does not
 * count, nor what the program handles itself. Each thread gets a second stack
 * for this, so that the end of the first is seen, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 32768, WORDS = 1024, FRAMES = 12, PAGE = 4096 };

/* A part of the thread's own memory: nobody needs to free it. */
static _Thread_local char second_stack[STACK];
static char folder[PAGE];

static void use_second_stack(void)
{
	const stack_t stack = {.ss_sp = second_stack, .ss_size = STACK};

	sigaltstack(&stack, NULL);
}

static void registers(const ucontext_t *at, uintptr_t *next, uintptr_t *top)
{
#if defined(__x86_64__)
	*next = (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
	*top = (uintptr_t)at->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	*next = at->uc_mcontext.pc;
	*top = at->uc_mcontext.sp;
#else
	(void)at;
	*next = *top = 0;
#endif
}

/* Whether the address is code of a library or of the program. */
static int put_place(int file, uintptr_t address)
{
	Dl_info info;

	if (!dladdr((const void *)address, &info) || !info.dli_fname)
		return 0;
	dprintf(file, "  %s+0x%zx %s\n", info.dli_fname,
		(size_t)(address - (uintptr_t)info.dli_fbase),
		info.dli_sname ? info.dli_sname : "");
	return 1;
}

/* What on the stack looks like a return address. The stack may be over: the
 * kernel copies it, so that this does not fault. */
static void put_stack(int file, uintptr_t top)
{
	static uintptr_t words[WORDS];
	struct iovec to = {words, sizeof(words)};
	struct iovec from = {(void *)top, sizeof(words)};
	ssize_t bytes = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	int found = 0;

	if (bytes <= 0) {
		from.iov_base = (void *)((top | (PAGE - 1)) + 1);
		bytes = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	}
	for (ssize_t i = 0; i < bytes / (ssize_t)sizeof(*words); i++)
		if (found < FRAMES && words[i] > PAGE)
			found += put_place(file, words[i]);
}

static void tell(const siginfo_t *info, const ucontext_t *at)
{
	char path[2 * PAGE], program[PAGE] = "?";
	uintptr_t next, top;
	int file;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		strcpy(program, "?");
	snprintf(path, sizeof(path), "%s/%s.%d", folder,
		 program_invocation_short_name, (int)getpid());
	file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (file < 0)
		return;
	registers(at, &next, &top);
	dprintf(file, "%s (%s, process %d) died: %s, address %p, at %p\n",
		program_invocation_short_name, program, (int)getpid(),
		strsignal(info->si_signo), info->si_addr, (void *)next);
	put_place(file, next);
	put_stack(file, top);
	close(file);
}

/* SA_RESETHAND: what is raised here ends the process when this returns. */
static void on_fault(int number, siginfo_t *info, void *at)
{
	int sent = info->si_code == SI_USER ||
		   (info->si_code <= 0 && info->si_pid != getpid());

	alarm(10); /* should the loader's lock be held */
	if (!sent)
		tell(info, at);
	raise(number);
}

__attribute__((constructor)) static void begin(void)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
	const char *where = getenv("ASTRAEA_CRASHES");
	struct sigaction old,
		action = {
			.sa_sigaction = on_fault,
			.sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND,
		};

	if (!where || strlen(where) >= sizeof(folder))
		return;
	strcpy(folder, where);
	use_second_stack();
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		if (!sigaction(faults[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			sigaction(faults[i], &action, NULL);
}

/* ---- threads ---- */

struct start {
	void *(*run)(void *);
	void *argument;
};

static void *begin_thread(void *argument)
{
	struct start start = *(struct start *)argument;

	free(argument);
	use_second_stack();
	return start.run(start.argument);
}

__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	       void *(*run)(void *), void *argument)
{
	static int (*real)(pthread_t *, const pthread_attr_t *,
			   void *(*)(void *), void *);
	struct start *start = malloc(sizeof(*start));
	int rc;

	if (!real)
		real = dlsym(RTLD_NEXT, "pthread_create");
	if (!start || !folder[0]) {
		free(start);
		return real(thread, attr, run, argument);
	}
	*start = (struct start){run, argument};
	rc = real(thread, attr, begin_thread, start);
	if (rc)
		free(start);
	return rc;
}
