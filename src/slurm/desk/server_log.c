/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "src/slurm/desk/server_private.h"

/* Whether a user's refusal of that kind is the first one remembered. */
static bool is_first(struct server_noted *noted, uid_t uid,
		     enum astra_fault fault)
{
	for (size_t i = 0; i < SERVER_NOTED; i++)
		if (noted->list[i].fault == fault && noted->list[i].uid == uid)
			return false;
	noted->list[noted->next].uid = uid;
	noted->list[noted->next].fault = fault;
	noted->next = (noted->next + 1) % SERVER_NOTED;
	return true;
}

void server_log_fault(struct server *s, uid_t uid, enum astra_fault fault,
		      const char *text)
{
	char line[sizeof(struct astra_error) + 64];

	if ((fault != ASTRA_FAULT_DENIED && fault != ASTRA_FAULT_MALFORMED) ||
	    !s->options.log_line || !is_first(&s->noted, uid, fault))
		return;
	(void)snprintf(line, sizeof(line), "a request of uid %u is refused: %s",
		       uid, text);
	for (char *at = line; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	s->options.log_line(false, line);
}

void server_log_crowd(struct server *s, const struct server_client *client)
{
	int64_t now = server_now_msec();
	char name[300], line[400];

	if (!s->options.log_line || now < s->crowd_until_msec)
		return;
	s->crowd_until_msec = now + SERVER_QUIET_MSEC;
	server_place_name(client, name, sizeof(name));
	(void)snprintf(
		line, sizeof(line),
		"the places for queries are taken: one of %s, which asks "
		"nothing, is closed for another",
		name);
	s->options.log_line(true, line);
}

void server_count(struct server *s, enum astra_fault fault)
{
	switch (fault) {
	case ASTRA_FAULT_NONE:
		s->stats.answered++;
		break;
	case ASTRA_FAULT_AUTH:
		s->stats.unauthenticated++;
		break;
	case ASTRA_FAULT_RATE:
		s->stats.limited++;
		break;
	case ASTRA_FAULT_BUSY:
		s->stats.turned_away++;
		break;
	case ASTRA_FAULT_TIMEOUT:
		s->stats.timed_out++;
		break;
	case ASTRA_FAULT_TOO_LARGE:
		s->stats.too_large++;
		break;
	case ASTRA_FAULT_MALFORMED:
	case ASTRA_FAULT_VERSION:
		s->stats.malformed++;
		break;
	default:
		s->stats.refused++;
	}
}
