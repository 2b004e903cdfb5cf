/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/slurm/out/notify.h"

#include <ctype.h>
#include <stdio.h>
#include <time.h>

#include "src/slurm/conf/config.h"
#include "src/slurm/in/users.h"
#include "src/slurm/in/wish.h"
#include "src/slurm/out/errands.h"

#define NAME_SIZE 256
#define TEXT_SIZE 8192 /* for a list of nodes */

/* Leases of a thousand jobs may end in one moment. */
static const struct astra_errand_bounds bounds = {
	.waiting = 1000,
	.seconds = 10,
	.burst = 100,
	.rate = 2,
};

static struct astra_errands *mails, *programs;

/* For a mail's subject, as Slurm's "Began" and "Ended". */
static const char *const news_words[ASTRA_NEWS_COUNT] = {
	[ASTRA_NEWS_OVER] = "Lease over",
	[ASTRA_NEWS_RESUMED] = "Resumed",
	[ASTRA_NEWS_STARVED] = "Waits beyond its promised start",
};

static void notify_failed(const char *text)
{
	error("astraea: %s", text);
}

/* Copy a text, replacing control characters. Users choose names, and a line end
 * in one would begin a header of the mail. */
static const char *notify_plain(char *out, size_t size, const char *text)
{
	size_t i = 0;

	for (; text && text[i] && i < size - 1; i++)
		out[i] = iscntrl((unsigned char)text[i]) ? '?' : text[i];
	out[i] = '\0';
	return out;
}

static void notify_env_text(struct astra_errand *errand, const char *name,
			    const char *text)
{
	char plain[TEXT_SIZE];

	/* Leave out a text that is too long: a part of a list of nodes would be
	 * a wrong list. */
	if (text && strlen(text) < sizeof(plain))
		astra_errand_add(errand, "%s=%s", name,
				 notify_plain(plain, sizeof(plain), text));
}

static void notify_env_user(struct astra_errand *errand,
			    const job_record_t *job)
{
	const char *user = astra_user_name(job->user_id);

	if (user)
		notify_env_text(errand, "SLURM_JOB_USER", user);
	else
		astra_errand_add(errand, "SLURM_JOB_USER=%u", job->user_id);
	astra_errand_add(errand, "SLURM_JOB_UID=%u", job->user_id);
}

/* Add the environment that Slurm's own programs get. */
static void notify_env(struct astra_errand *errand, const job_record_t *job,
		       enum astra_news news, const char *pool)
{
	errand->words = errand->count;
	astra_errand_add(errand, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
	astra_errand_add(errand, "ASTRAEA_EVENT=%s", astra_news_names[news]);
	astra_errand_add(errand, "ASTRAEA_EVENT_TIME=%lld",
			 (long long)time(NULL));
	astra_errand_add(errand, "ASTRAEA_POOL=%s", pool);
	astra_errand_add(errand, "SLURM_JOB_ID=%u", job->job_id);
	if (job->array_task_id != NO_VAL) {
		astra_errand_add(errand, "SLURM_ARRAY_JOB_ID=%u",
				 job->array_job_id);
		astra_errand_add(errand, "SLURM_ARRAY_TASK_ID=%u",
				 job->array_task_id);
	}
	astra_errand_add(errand, "SLURM_RESTART_COUNT=%u", job->restart_cnt);
	notify_env_user(errand, job);
	notify_env_text(errand, "SLURM_JOB_NAME", job->name);
	notify_env_text(errand, "SLURM_JOB_ACCOUNT", job->account);
	notify_env_text(errand, "SLURM_JOB_PARTITION", job->partition);
	notify_env_text(errand, "SLURM_JOB_NODELIST", job->nodes);
	notify_env_text(errand, "SLURM_JOB_MAIL_TYPE", news_words[news]);
	notify_env_text(errand, "SLURM_CLUSTER_NAME", slurm_conf.cluster_name);
}

static void notify_put(struct astra_errands **errands,
		       struct astra_errand *errand)
{
	if (!*errands)
		*errands = astra_errands_new(&bounds, notify_failed);
	if (*errands)
		astra_errands_put(*errands, errand);
	else
		astra_text_clear(&errand->strings);
}

static void notify_subject(struct astra_errand *errand, const job_record_t *job,
			   enum astra_news news)
{
	char id[64], name[NAME_SIZE];

	if (job->array_task_id != NO_VAL)
		snprintf(id, sizeof(id), "Array Job_id=%u_%u (%u)",
			 job->array_job_id, job->array_task_id, job->job_id);
	else
		snprintf(id, sizeof(id), "Job_id=%u", job->job_id);
	astra_errand_add(errand, "Slurm %s Name=%s %s", id,
			 notify_plain(name, sizeof(name), job->name),
			 news_words[news]);
}

/* Queue a mail if the user asked for it. Addresses that begin with '-' get no
 * mail, as the mail program would take them for options. */
static void notify_mail(const job_record_t *job, enum astra_news news,
			const char *pool)
{
	struct astra_errand errand = {.words = 0};
	struct astra_wish wish;

	(void)astra_wish_read(job->spank_job_env, job->spank_job_env_size,
			      &wish, NULL);
	if (!(wish.stated.mail >> news & 1) || !slurm_conf.mail_prog ||
	    !job->mail_user || !*job->mail_user || *job->mail_user == '-')
		return;
	astra_errand_add(&errand, "%s", slurm_conf.mail_prog);
	astra_errand_add(&errand, "-s");
	notify_subject(&errand, job, news);
	/* The whole list of addresses: if cut, it could end in another
	 * person's. */
	astra_errand_add(&errand, "%s", job->mail_user);
	notify_env(&errand, job, news, pool);
	notify_put(&mails, &errand);
}

void astra_notify(const job_record_t *job, enum astra_news news,
		  const char *pool)
{
	const struct astra_config *config = astra_config_active();
	struct astra_errand errand = {.words = 0};

	if (job->spank_job_env_size)
		notify_mail(job, news, pool);
	if (!config || !config->lease_program)
		return;
	astra_errand_add(&errand, "%s", config->lease_program);
	notify_env(&errand, job, news, pool);
	notify_put(&programs, &errand);
}

void astra_notify_count(struct astra_report_diag *diag)
{
	struct astra_errand_counts mail = astra_errands_count(mails);
	struct astra_errand_counts program = astra_errands_count(programs);

	diag->notices = mail.done + program.done;
	diag->notices_failed = mail.failed + program.failed;
	diag->notices_lost = mail.lost + program.lost;
}

void astra_notify_stop(void)
{
	astra_errands_free(mails);
	astra_errands_free(programs);
	mails = programs = NULL;
}
