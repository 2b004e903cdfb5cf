/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each member of a report's records has a row in its table, and each key and
 * column that users see is documented. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/encode.h"
#include "src/proto/report.h"
#include "src/proto/report_pool.h"
#include "testsuite/unit/member_rows.h"

static void every_member_has_a_row(void **state)
{
	(void)state;
	ROWS_CHECK(astra_report_pool, astra_pool_members,
		   ROWS_BUT(astra_report_pool, of));
	ROWS_CHECK(astra_report_tenant, astra_report_tenant_members,
		   ROWS_BUT(astra_report_tenant, sums));
	ROWS_CHECK(astra_report_job, astra_report_job_members,
		   ROWS_BUT(astra_report_job, of.tenant),
		   ROWS_BUT(astra_report_job, of.phase),
		   ROWS_BUT(astra_report_job, of.uncharged),
		   ROWS_BUT(astra_report_job, of.bound_sec),
		   ROWS_BUT(astra_report_job, of.reason),
		   ROWS_BUT(astra_report_job, binds),
		   ROWS_BUT(astra_report_job, bind_count));
	ROWS_CHECK(astra_report_progress, astra_progress_members);
	ROWS_CHECK(astra_report_checkpoint, astra_checkpoint_members);
	ROWS_CHECK(astra_report_bind, astra_bind_members);
	ROWS_CHECK(astra_report_array, astra_array_members);
	ROWS_CHECK(astra_report_auction, astra_auction_members);
	ROWS_CHECK(astra_report_app, astra_app_members,
		   ROWS_BUT(astra_report_app, of.left_sec),
		   ROWS_BUT(astra_report_app, of.left_count));
	ROWS_CHECK(astra_report_price, astra_price_members);
	ROWS_CHECK(astra_report_class, astra_class_members);
	ROWS_CHECK(astra_report_node, astra_report_node_members,
		   ROWS_BUT(astra_report_node, holders),
		   ROWS_BUT(astra_report_node, holder_count));
	ROWS_CHECK(astra_report_diag, astra_diag_members);
	ROWS_CHECK(astra_report_history, astra_history_members);
	ROWS_CHECK(astra_socket_stats, astra_socket_members);
}

/* The section of doc/protocol.md that has a record's keys. */
static const struct {
	const struct astra_member *members;
	const char *section;
} told[] = {
	{astra_pool_members, "### pool"},
	{astra_report_tenant_members, "### tenant"},
	{astra_report_job_members, "### job"},
	{astra_progress_members, "### job"},
	{astra_checkpoint_members, "### job"},
	{astra_bind_members, "### why"},
	{astra_array_members, "### why"},
	{astra_auction_members, "### auction"},
	{astra_app_members, "### app"},
	{astra_price_members, "### price"},
	{astra_class_members, "### class"},
	{astra_report_node_members, "### node"},
	{astra_diag_members, "### diag"},
	{astra_history_members, "### history"},
	{astra_socket_members, "### socket"},
};

/* What nobody is shown comes last, and the others can be picked. */
static void every_key_can_be_picked(void **state)
{
	(void)state;
	for (size_t t = 0; t < ASTRA_COUNT_OF(told); t++) {
		const struct astra_member *m = told[t].members;

		for (; m->key && m->seen; m++)
			assert_int_not_equal(astra_pick_one(told[t].members,
							    m->key,
							    strlen(m->key)),
					     0);
		for (; m->key; m++)
			assert_int_equal(m->seen, ASTRA_SEEN_NOBODY);
	}
}

static char *read_document(const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	char *text = calloc(1, 1 << 20);
	FILE *file;

	snprintf(path, sizeof(path), "%s/doc/%s", top ? top : "..", name);
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s cannot be read", path);
	assert_non_null(text);
	assert_in_range(fread(text, 1, (1 << 20) - 1, file), 1, (1 << 20) - 2);
	fclose(file);
	return text;
}

/* Whether the section with this heading has the word. */
static bool has_in(const char *text, const char *heading, const char *word)
{
	char line[64];
	const char *at, *end, *found;

	snprintf(line, sizeof(line), "\n%s\n", heading);
	at = strstr(text, line);
	if (!at) {
		fail_msg("doc/protocol.md has no section %s", heading);
		return false;
	}
	end = strstr(at + 1, "\n#");
	found = strstr(at, word);
	return found && (!end || found < end);
}

static void every_key_is_documented_where_its_record_is(void **state)
{
	char *text = read_document("protocol.md");
	char word[64];

	(void)state;
	for (size_t t = 0; t < ASTRA_COUNT_OF(told); t++)
		for (const struct astra_member *m = told[t].members; m->seen;
		     m++) {
			snprintf(word, sizeof(word), "`%s`", m->key);
			if (!has_in(text, told[t].section, word))
				fail_msg("doc/protocol.md lacks %s in %s", word,
					 told[t].section);
		}
	free(text);
}

static bool is_number(enum astra_member_kind kind)
{
	return kind != ASTRA_MEMBER_TEXT && kind != ASTRA_MEMBER_TEXT_OR_NULL &&
	       kind != ASTRA_MEMBER_WORD && kind != ASTRA_MEMBER_FLAG;
}

/* Whether an item of a man page names it: ".It Rank , Ranks". */
static bool is_item(const char *page, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = page; (at = strstr(at, "\n.It ")); at++)
		for (const char *to = at + 4; *to == ' ';) {
			size_t next = strcspn(++to, " \n");

			if (next == size && !strncmp(to, word, size))
				return true;
			to += next;
		}
	return false;
}

static void every_column_suits_its_member_and_is_documented(void **state)
{
	char *page = read_document("man1/sfair.1");

	(void)state;
	for (size_t t = 0; t < ASTRA_COUNT_OF(told); t++)
		for (const struct astra_member *m = told[t].members; m->key;
		     m++) {
			bool flag = m->shown == SFAIR_FLAG;

			if (!m->heading)
				continue;
			assert_int_not_equal(m->seen, ASTRA_SEEN_NOBODY);
			assert_int_equal(is_number(m->kind),
					 m->shown != SFAIR_TEXT && !flag);
			assert_int_equal(m->kind == ASTRA_MEMBER_FLAG, flag);
			if (!is_item(page, m->heading))
				fail_msg("sfair.1 lacks %s", m->heading);
		}
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_has_a_row),
		cmocka_unit_test(every_key_can_be_picked),
		cmocka_unit_test(every_key_is_documented_where_its_record_is),
		cmocka_unit_test(
			every_column_suits_its_member_and_is_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
