/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What astraea.conf says of the history. */
#include <stdlib.h>
#include <string.h>

#include "src/model/option_values.h"
#include "src/slurm/conf/config_priv.h"

struct span {
	const char *key;
	double days; /* if it is not set */
	size_t at;   /* in struct astra_config */
};

static const struct span spans[] = {
	{"HistoryRounds", 2, offsetof(struct astra_config, history_rounds_sec)},
	{"HistoryHours", 400, offsetof(struct astra_config, history_hours_sec)},
	{"HistoryDays", 0, offsetof(struct astra_config, history_days_sec)},
	{"HistoryLeases", 90,
	 offsetof(struct astra_config, history_leases_sec)},
};

#define SPANS (sizeof(spans) / sizeof(*spans))

static void add_key(s_p_options_t *out, const char *key)
{
	*out = (s_p_options_t){.type = S_P_STRING};
	/* s_p_options_t wants a char * that it never writes. */
	memcpy(&out->key, &key, sizeof(key));
}

size_t astra_conf_history_keys(s_p_options_t *out)
{
	size_t count = 0;

	add_key(&out[count++], "History");
	add_key(&out[count++], "HistoryFile");
	for (size_t i = 0; i < SPANS; i++)
		add_key(&out[count++], spans[i].key);
	return count;
}

static int read_span(const s_p_hashtbl_t *table, const char *path,
		     const struct span *span, struct astra_config *config,
		     struct astra_error *err)
{
	double *out = (double *)(void *)((char *)config + span->at);
	char *text = astra_conf_text(table, span->key);
	double days = span->days;
	int rc = 0;

	if (text)
		rc = astra_parse_number(&days, 0, 36500, text, err);
	if (rc < 0)
		astra_conf_blame(path, span->key, text, err);
	*out = days * 86400;
	free(text);
	return rc;
}

static int read_switch(const s_p_hashtbl_t *table, const char *path,
		       struct astra_config *config, struct astra_error *err)
{
	char *text = astra_conf_text(table, "History");
	int rc = 0;

	config->history = true;
	if (text)
		rc = astra_parse_bool(&config->history, text, err);
	if (rc < 0)
		astra_conf_blame(path, "History", text, err);
	free(text);
	return rc;
}

int astra_conf_history(const s_p_hashtbl_t *table, const char *path,
		       struct astra_config *config, struct astra_error *err)
{
	if (read_switch(table, path, config, err) < 0)
		return -1;
	config->history_file = astra_conf_text(table, "HistoryFile");
	if (config->history_file && *config->history_file != '/') {
		astra_error_set(err, "a path that begins with /");
		return astra_conf_blame(path, "HistoryFile",
					config->history_file, err);
	}
	for (size_t i = 0; i < SPANS; i++)
		if (read_span(table, path, &spans[i], config, err) < 0)
			return -1;
	return 0;
}
