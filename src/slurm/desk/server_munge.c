/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/desk/server_munge.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/proto/sign.h"
#include "src/slurm/desk/server_private.h"
#include "src/slurm/desk/server_token.h"

/* Time between two checks of the stop flag. */
#define LOOK_MSEC 50

/* A question and its answer. From ASKED to ANSWERED it belongs to the
 * thread. */
struct task {
	bool sign; /* sign a message; else verify a credential */
	char *in, *out;
	size_t in_size, out_size;
	uint32_t uid;
	enum astra_fault fault;
	struct astra_error err;
};

enum state { IDLE, ASKED, ANSWERED };

struct server_munge {
	pthread_mutex_t lock;
	pthread_cond_t asked, answered;
	pthread_t thread;
	char *socket;
	struct server_token *token; /* asked in place of munged; NULL: munged is
				     * asked */
	const atomic_bool *stop;
	enum state state;
	bool given_up; /* nobody waits for the answer any more */
	bool ending;   /* the thread ends once it has no task */
	bool orphaned; /* ... and then frees everything */
	struct task task;
};

static void drop_task(struct task *t)
{
	free(t->in);
	free(t->out);
	*t = (struct task){0};
}

static void server_munge_destroy(struct server_munge *m)
{
	drop_task(&m->task);
	pthread_mutex_destroy(&m->lock);
	pthread_cond_destroy(&m->asked);
	pthread_cond_destroy(&m->answered);
	free(m->socket);
	server_token_destroy(m->token);
	free(m);
}

static void server_munge_carry_out(const struct server_munge *m, struct task *t)
{
	bool done;

	if (t->sign) {
		t->out = astra_sign_for(m->socket, t->uid, t->in, t->in_size,
					&t->err);
		done = t->out;
	} else {
		done = !astra_verify(m->socket, t->in, &t->out, &t->out_size,
				     &t->uid, &t->err);
	}
	t->fault = done ? ASTRA_FAULT_NONE : ASTRA_FAULT_AUTH;
}

static void server_munge_ask_slurm(const struct server_munge *m, struct task *t)
{
	if (t->sign) {
		t->out = server_token_sign_for(m->token, t->uid, t->in,
					       t->in_size, &t->err);
		t->fault = t->out ? ASTRA_FAULT_NONE : ASTRA_FAULT_AUTH;
	} else {
		t->fault = server_token_verify(m->token, t->in, time(NULL),
					       &t->out, &t->out_size, &t->uid,
					       &t->err);
	}
}

static void *server_munge_run(void *arg)
{
	struct server_munge *m = arg;
	bool orphaned;

	pthread_mutex_lock(&m->lock);
	while (!m->ending) {
		if (m->state != ASKED) {
			pthread_cond_wait(&m->asked, &m->lock);
			continue;
		}
		pthread_mutex_unlock(&m->lock);
		if (m->token)
			server_munge_ask_slurm(m, &m->task);
		else
			server_munge_carry_out(m, &m->task);
		pthread_mutex_lock(&m->lock);
		m->state = m->given_up ? IDLE : ANSWERED;
		if (m->given_up)
			drop_task(&m->task);
		m->given_up = false;
		pthread_cond_signal(&m->answered);
	}
	orphaned = m->orphaned;
	pthread_mutex_unlock(&m->lock);
	if (orphaned)
		server_munge_destroy(m);
	return NULL;
}

/* Choose who signs. Returns 0, or -1 with err set. */
static int server_munge_signer(struct server_munge *m,
			       const struct astra_server_options *options,
			       struct astra_error *err)
{
	if (options->slurm_auth) {
		m->token = server_token_create(options->slurm_auth, time(NULL),
					       err);
		return m->token ? 0 : -1;
	}
	if (!options->munge_socket)
		return 0;
	m->socket = strdup(options->munge_socket);
	return m->socket ? 0 : astra_error_nomem(err);
}

struct server_munge *
server_munge_start(const struct astra_server_options *options,
		   const atomic_bool *stop, struct astra_error *err)
{
	struct server_munge *m = calloc(1, sizeof(*m));

	if (!m) {
		astra_error_nomem(err);
		return NULL;
	}
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->asked, NULL);
	pthread_cond_init(&m->answered, NULL);
	m->stop = stop;
	if (server_munge_signer(m, options, err) == 0 &&
	    server_thread_start(&m->thread, server_munge_run, m, err) == 0)
		return m;
	server_munge_destroy(m);
	return NULL;
}

/* Keep the library loaded, as a thread that is left behind needs its code. */
static void keep_code(void)
{
	Dl_info info;

	if (dladdr((const void *)&keep_code, &info) && info.dli_fname)
		(void)dlopen(info.dli_fname,
			     RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void server_munge_stop(struct server_munge *m)
{
	pthread_t thread;
	bool busy;

	if (!m)
		return;
	thread = m->thread;
	pthread_mutex_lock(&m->lock);
	/* Always wait for Slurm's plugin: it does not hang, and will soon be
	 * unloaded. */
	busy = m->state == ASKED && !m->token;
	m->ending = true;
	m->orphaned = busy;
	if (busy)
		keep_code();
	pthread_cond_signal(&m->asked);
	pthread_mutex_unlock(&m->lock);
	if (busy) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	server_munge_destroy(m);
}

/* Wait for the answer, under the lock. Returns whether it has come. */
static bool wait_for_answer(struct server_munge *m)
{
	int64_t until = server_now_msec() + SERVER_MUNGE_MSEC;

	while (m->state != ANSWERED && server_now_msec() < until &&
	       !atomic_load(m->stop)) {
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		t.tv_nsec += LOOK_MSEC * 1000000L;
		t.tv_sec += t.tv_nsec / 1000000000L;
		t.tv_nsec %= 1000000000L;
		(void)pthread_cond_clockwait(&m->answered, &m->lock,
					     CLOCK_MONOTONIC, &t);
	}
	return m->state == ANSWERED;
}

static enum astra_fault hangs(const struct server_munge *m,
			      struct astra_error *err)
{
	astra_error_set(err, "%s does not answer: it hangs",
			m->token ? "auth/slurm" : "munged");
	return ASTRA_FAULT_AUTH;
}

/* Ask, and wait for the answer. Takes over asked. answer: free it with
 * drop_task(). */
static enum astra_fault server_munge_ask(struct server_munge *m,
					 struct task *asked,
					 struct task *answer,
					 struct astra_error *err)
{
	*answer = (struct task){0};
	pthread_mutex_lock(&m->lock);
	if (m->state != IDLE) {
		pthread_mutex_unlock(&m->lock);
		drop_task(asked);
		return hangs(m, err);
	}
	m->task = *asked;
	m->state = ASKED;
	pthread_cond_signal(&m->asked);
	if (wait_for_answer(m)) {
		*answer = m->task;
		m->task = (struct task){0};
		m->state = IDLE;
	} else {
		m->given_up = true;
	}
	pthread_mutex_unlock(&m->lock);
	if (!answer->in)
		return hangs(m, err);
	if (answer->fault)
		*err = answer->err;
	return answer->fault;
}

static int server_munge_begin(struct task *t, const char *in, size_t size,
			      struct astra_error *err)
{
	t->in = malloc(size + 1);
	if (!t->in)
		return astra_error_nomem(err);
	memcpy(t->in, in, size);
	t->in[size] = '\0';
	t->in_size = size;
	return 0;
}

enum astra_fault server_munge_verify(struct server_munge *m,
				     const char *credential, char **message,
				     size_t *size, uint32_t *uid,
				     struct astra_error *err)
{
	struct task t = {0}, answer;
	enum astra_fault fault;

	if (server_munge_begin(&t, credential, strlen(credential), err) < 0)
		return ASTRA_FAULT_AUTH;
	fault = server_munge_ask(m, &t, &answer, err);
	if (!fault) {
		*message = answer.out;
		*size = answer.out_size;
		*uid = answer.uid;
		answer.out = NULL;
	}
	drop_task(&answer);
	return fault;
}

void server_munge_forget(struct server_munge *m)
{
	pthread_mutex_lock(&m->lock);
	if (m->token && m->state == IDLE)
		server_token_forget(m->token);
	pthread_mutex_unlock(&m->lock);
}

char *server_munge_sign_for(struct server_munge *m, uint32_t uid,
			    const char *message, size_t size,
			    struct astra_error *err)
{
	struct task t = {.sign = true, .uid = uid}, answer;
	char *credential = NULL;

	if (server_munge_begin(&t, message, size, err) < 0)
		return NULL;
	if (!server_munge_ask(m, &t, &answer, err)) {
		credential = answer.out;
		answer.out = NULL;
	}
	drop_task(&answer);
	return credential;
}
