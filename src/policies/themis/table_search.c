/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Greedy allocations. They are improved by giving one bidder another set; the
 * bidders that lose GPUs by this choose again. */
#include <stdlib.h>
#include <string.h>

#include "src/policies/themis/table_priv.h"

/* Changes tried per allocation. Each change costs a pass over all bidders. */
#define TRIES 20000

/* A listed set with a finite rho. */
struct option {
	const uint64_t *gpus;
	struct table_score score;
	uint32_t index; /* in the bidder's list */
};

struct player {
	const struct option *options; /* the most valuable first */
	uint32_t option_count;
	struct table_score none; /* score without GPUs */
};

struct search {
	struct player *players;
	size_t bidder_count;
	size_t words;	  /* words of a bitmap */
	size_t absent;	  /* the bidder that gets nothing; bidder_count: none */
	uint64_t *left;	  /* free GPUs */
	uint32_t *choice; /* the present allocation: for each bidder an option
			   * or ASTRA_NONE */
	uint32_t *saved, *best;
	bool *lost;
};

static const uint64_t *table_search_set_of(const struct search *s,
					   size_t bidder, uint32_t choice)
{
	return choice == ASTRA_NONE ? NULL
				    : s->players[bidder].options[choice].gpus;
}

static struct table_score score_of(const struct search *s, size_t bidder,
				   uint32_t choice)
{
	const struct player *p = &s->players[bidder];

	return choice == ASTRA_NONE ? p->none : p->options[choice].score;
}

static uint64_t word(const uint64_t *set, size_t w)
{
	return set ? set[w] : 0;
}

/* Whether the set consists of free GPUs and the bidder's own. */
static bool table_search_fits(const struct search *s, size_t bidder,
			      uint32_t choice)
{
	const uint64_t *own = table_search_set_of(s, bidder, s->choice[bidder]);
	const uint64_t *set = table_search_set_of(s, bidder, choice);

	for (size_t w = 0; w < s->words; w++)
		if (set[w] & ~(s->left[w] | word(own, w)))
			return false;
	return true;
}

/* Gives a bidder another set, whose GPUs are free or its own. */
static void table_search_give(struct search *s, size_t bidder, uint32_t choice)
{
	const uint64_t *old = table_search_set_of(s, bidder, s->choice[bidder]);
	const uint64_t *new = table_search_set_of(s, bidder, choice);

	for (size_t w = 0; w < s->words; w++) {
		s->left[w] |= word(old, w);
		s->left[w] &= ~word(new, w);
	}
	s->choice[bidder] = choice;
}

static struct table_score total(const struct search *s)
{
	struct table_score sum = {0};

	for (size_t i = 0; i < s->bidder_count; i++)
		if (i != s->absent)
			sum = table_sum(sum, score_of(s, i, s->choice[i]));
	return sum;
}

/* Whether a set is the bidder's present set plus one GPU. */
static bool one_more(const struct search *s, size_t bidder, uint32_t choice)
{
	const uint64_t *old = table_search_set_of(s, bidder, s->choice[bidder]);
	const uint64_t *new = table_search_set_of(s, bidder, choice);
	int more = 0;

	for (size_t w = 0; w < s->words; w++) {
		if (word(old, w) & ~new[w])
			return false;
		more += __builtin_popcountll(new[w] & ~word(old, w));
	}
	return more == 1;
}

/* Returns, of the sets that the bidder could have, the one that gains most. If
 * none gains, returns its present set. single: only sets with one GPU more. */
static uint32_t best_choice(const struct search *s, size_t bidder, bool single)
{
	uint32_t now = s->choice[bidder];
	struct table_score most = score_of(s, bidder, now);

	for (uint32_t i = 0; i < s->players[bidder].option_count; i++) {
		if (table_compare(score_of(s, bidder, i), most) <= 0)
			break;
		if (table_search_fits(s, bidder, i) &&
		    (!single || one_more(s, bidder, i)))
			return i;
	}
	return now;
}

/* Repeatedly lets the bidder that gains most choose, until no bidder gains. */
static void greedy(struct search *s, bool single)
{
	for (;;) {
		struct table_score most = {0};
		size_t who = s->absent;
		uint32_t what = ASTRA_NONE;

		for (size_t i = 0; i < s->bidder_count; i++) {
			uint32_t choice = best_choice(s, i, single);
			struct table_score gain =
				table_difference(score_of(s, i, choice),
						 score_of(s, i, s->choice[i]));

			if (i == s->absent || table_compare(gain, most) <= 0)
				continue;
			most = gain;
			who = i;
			what = choice;
		}
		if (what == ASTRA_NONE)
			return;
		table_search_give(s, who, what);
	}
}

/* Gives a bidder a set even if other bidders have its GPUs; these choose
 * again. */
static void force(struct search *s, size_t bidder, uint32_t choice)
{
	const uint64_t *set = table_search_set_of(s, bidder, choice);

	for (size_t i = 0; i < s->bidder_count; i++) {
		const uint64_t *theirs =
			table_search_set_of(s, i, s->choice[i]);

		s->lost[i] = false;
		for (size_t w = 0; w < s->words && i != bidder; w++)
			s->lost[i] |= (word(theirs, w) & set[w]) != 0;
		if (s->lost[i])
			table_search_give(s, i, ASTRA_NONE);
	}
	table_search_give(s, bidder, choice);
	for (size_t i = 0; i < s->bidder_count; i++)
		if (s->lost[i])
			table_search_give(s, i, best_choice(s, i, false));
}

/* Forces a set on a bidder. Returns whether that improved the allocation; if
 * not, the allocation is restored. */
static bool forced(struct search *s, size_t bidder, uint32_t choice,
		   struct table_score *score)
{
	struct table_score now;

	memcpy(s->saved, s->choice, s->bidder_count * sizeof(*s->saved));
	force(s, bidder, choice);
	now = total(s);
	if (table_compare(now, *score) > 0) {
		*score = now;
		return true;
	}
	for (size_t i = 0; i < s->bidder_count; i++)
		table_search_give(s, i, ASTRA_NONE);
	for (size_t i = 0; i < s->bidder_count; i++)
		table_search_give(s, i, s->saved[i]);
	return false;
}

static void improve(struct search *s)
{
	struct table_score score = total(s);
	uint32_t tries = 0;
	bool better = true;

	while (better) {
		better = false;
		for (size_t i = 0; i < s->bidder_count; i++) {
			const struct player *p = &s->players[i];

			for (uint32_t k = 0; k < p->option_count; k++) {
				if (i == s->absent || k == s->choice[i])
					continue;
				if (++tries > TRIES)
					return;
				better |= forced(s, i, k, &score);
			}
		}
	}
}

/* Starts from an allocation, or with nothing if `from` is NULL. */
static void table_search_start(struct search *s, const uint32_t *from)
{
	memset(s->left, 0xff, s->words * sizeof(*s->left));
	for (size_t i = 0; i < s->bidder_count; i++)
		s->choice[i] = ASTRA_NONE;
	for (size_t i = 0; from && i < s->bidder_count; i++)
		if (i != s->absent)
			table_search_give(s, i, from[i]);
}

/* Saves the present allocation if it is the best so far. */
static void keep_best_choice(struct search *s, struct table_score *best)
{
	struct table_score score = total(s);

	if (table_compare(score, *best) <= 0)
		return;
	*best = score;
	memcpy(s->best, s->choice, s->bidder_count * sizeof(*s->best));
}

static void table_search_solve(struct search *s, uint32_t *pf)
{
	struct table_score best = {.served = -1};

	s->absent = s->bidder_count;
	for (int single = 0; single < 2; single++) {
		table_search_start(s, NULL);
		greedy(s, single);
		improve(s);
		keep_best_choice(s, &best);
	}
	memcpy(pf, s->best, s->bidder_count * sizeof(*pf));
}

/* Returns the best score without a bidder. It improves the best of three
 * allocations: the two greedy ones, and pf, which is near the optimum
 * already. */
static struct table_score solve_without(struct search *s, size_t absent,
					const uint32_t *pf)
{
	struct table_score best = {.served = -1};

	s->absent = absent;
	for (int way = 0; way < 3; way++) {
		table_search_start(s, way == 2 ? pf : NULL);
		if (way < 2)
			greedy(s, way == 1);
		keep_best_choice(s, &best);
	}
	memcpy(s->saved, s->best, s->bidder_count * sizeof(*s->saved));
	table_search_start(s, s->saved);
	improve(s);
	keep_best_choice(s, &best);
	return best;
}

static int most_valuable_first(const void *a, const void *b)
{
	const struct option *x = a, *y = b;

	if (x->score.log_v != y->score.log_v)
		return x->score.log_v > y->score.log_v ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Loads the bids. options: room for all sets of all bidders. */
static void load_players(struct search *s,
			 const struct astra_themis_table_bidder *bidders,
			 struct option *options)
{
	for (size_t i = 0; i < s->bidder_count; i++) {
		const struct astra_themis_table_bidder *b = &bidders[i];
		uint32_t count = 0;

		for (uint32_t k = 0; k < b->listed_count; k++)
			if (!isinf(b->listed[k].rho))
				options[count++] = (struct option){
					.gpus = b->listed[k].gpus,
					.score = table_choice(b, k),
					.index = k,
				};
		qsort(options, count, sizeof(*options), most_valuable_first);
		s->players[i] = (struct player){
			.options = options,
			.option_count = count,
			.none = table_choice(b, ASTRA_NONE),
		};
		options += count;
	}
}

static void table_search_run(struct search *s, uint32_t *pf,
			     struct table_score *without)
{
	table_search_solve(s, pf);
	for (size_t i = 0; i < s->bidder_count; i++)
		without[i] = solve_without(s, i, pf);
	for (size_t i = 0; i < s->bidder_count; i++)
		if (pf[i] != ASTRA_NONE)
			pf[i] = s->players[i].options[pf[i]].index;
}

int astra_themis_table_search(uint32_t gpu_count,
			      const struct astra_themis_table_bidder *bidders,
			      size_t bidder_count, uint32_t *pf,
			      struct table_score *without)
{
	struct search s = {
		.bidder_count = bidder_count,
		.words = astra_div_up(gpu_count, 64),
	};
	uint32_t *choices = malloc(3 * (bidder_count + 1) * sizeof(*choices));
	struct option *options;
	size_t listed = 0;
	int rc = -1;

	for (size_t i = 0; i < bidder_count; i++)
		listed += bidders[i].listed_count;
	options = malloc((listed + 1) * sizeof(*options));
	s.players = malloc((bidder_count + 1) * sizeof(*s.players));
	s.left = malloc((s.words + 1) * sizeof(*s.left));
	s.lost = malloc((bidder_count + 1) * sizeof(*s.lost));
	if (choices && options && s.players && s.left && s.lost) {
		s.choice = choices;
		s.saved = choices + bidder_count;
		s.best = s.saved + bidder_count;
		load_players(&s, bidders, options);
		table_search_run(&s, pf, without);
		rc = 0;
	}
	free(choices);
	free(options);
	free(s.players);
	free(s.left);
	free(s.lost);
	return rc;
}
