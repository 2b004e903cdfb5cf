/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One slot: y(t + 1) = projection of y(t) + rate * gradient. Only nodes with a
 * job in this slot change: elsewhere the gradient is 0 and y is its own
 * projection. */
#include <math.h>
#include <string.h>

#include "src/common/number.h"
#include "src/policies/ogasched/learner.h"
#include "src/policies/ogasched/ogasched.h"
#include "src/policies/ogasched/pair.h"
#include "src/policies/ogasched/project.h"

/* The four utilities f(y) of the rows of a node and type, and their slopes.
 * Arrays may be read and written up to an even count. */

/* Return f(y). `utility` is a constant wherever this is inlined. */
static inline pair value_value(enum astra_ogas_utility utility, pair alpha,
			       pair y)
{
	const pair one = pair_both(1);

	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		return pair_mul(alpha, y);
	case ASTRA_OGAS_LOG:
		y = pair_add(one, y);
		y = pair_set(log(pair_first(y)), log(pair_second(y)));
		return pair_mul(alpha, y);
	case ASTRA_OGAS_RECIPROCAL: /* 1/alpha - 1/(y + alpha) */
		return pair_div(y, pair_mul(alpha, pair_add(y, alpha)));
	case ASTRA_OGAS_POLY:
		y = pair_sqrt(pair_add(y, one));
		return pair_mul(alpha, pair_sub(y, one));
	}
	return one;
}

static inline pair value_slope(enum astra_ogas_utility utility, pair alpha,
			       pair y)
{
	const pair one = pair_both(1);

	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		return alpha;
	case ASTRA_OGAS_LOG:
		return pair_div(alpha, pair_add(one, y));
	case ASTRA_OGAS_RECIPROCAL:
		y = pair_add(y, alpha);
		return pair_div(one, pair_mul(y, y));
	case ASTRA_OGAS_POLY:
		y = pair_sqrt(pair_add(y, one));
		return pair_div(alpha, pair_add(y, y));
	}
	return one;
}

#define EACH(f, utility)                                                 \
	do {                                                             \
		for (size_t i = 0; i < n; i += 2)                        \
			pair_store(out + i, f(utility, pair_both(alpha), \
					      pair_load(y + i)));        \
		return;                                                  \
	} while (0)

/* Compute f(y) of n elements. */
static void ogas_values(enum astra_ogas_utility utility, double alpha,
			const double *y, size_t n, double *out)
{
	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		EACH(value_value, ASTRA_OGAS_LINEAR);
	case ASTRA_OGAS_LOG:
		EACH(value_value, ASTRA_OGAS_LOG);
	case ASTRA_OGAS_RECIPROCAL:
		EACH(value_value, ASTRA_OGAS_RECIPROCAL);
	case ASTRA_OGAS_POLY:
		EACH(value_value, ASTRA_OGAS_POLY);
	}
}

/* Compute f'(y) of n elements. */
static void ogas_slopes(enum astra_ogas_utility utility, double alpha,
			const double *y, size_t n, double *out)
{
	switch (utility) {
	case ASTRA_OGAS_LINEAR:
		EACH(value_slope, ASTRA_OGAS_LINEAR);
	case ASTRA_OGAS_LOG:
		EACH(value_slope, ASTRA_OGAS_LOG);
	case ASTRA_OGAS_RECIPROCAL:
		EACH(value_slope, ASTRA_OGAS_RECIPROCAL);
	case ASTRA_OGAS_POLY:
		EACH(value_slope, ASTRA_OGAS_POLY);
	}
}

#define RATE_MAX 1e18

void ogas_mark_active(struct astra_ogas *o, const uint32_t *x)
{
	for (size_t row = 0; row < o->row_count; row++) {
		uint32_t jobs = x ? x[o->rows.port[row]] : UINT32_MAX;

		o->rows.active[row] = o->rows.copy[row] < jobs ? 1 : 0;
	}
}

void ogas_sum_held(struct astra_ogas *o)
{
	if (!o->row_count)
		return;
	for (size_t k = 0; k < o->types; k++)
		memset(ogas_held(o, k), 0, o->row_count * sizeof(double));
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		for (size_t k = 0; k < o->types; k++) {
			const double *y = ogas_y(n, k);
			double *held = ogas_held(o, k);

			for (size_t i = 0; i < n->count; i++)
				held[n->rows[i]] += y[i];
		}
	}
}

static bool receives(const struct astra_ogas *o, size_t row)
{
	double sum = 0;

	for (size_t k = 0; k < o->types; k++)
		sum += ogas_held(o, k)[row];
	return sum > ASTRA_TIE;
}

static uint32_t *gang_size(struct astra_ogas *o, size_t row)
{
	const struct ogas_port *p = &o->ports[o->rows.port[row]];

	return &o->gang_size[(size_t)p->gang * o->gang_copies +
			     o->rows.copy[row]];
}

void ogas_mark_served(struct astra_ogas *o)
{
	const struct ogas_rows *rows = &o->rows;

	if (!o->row_count)
		return;
	memcpy(rows->served, rows->active,
	       o->row_count * sizeof(*rows->served));
	if (!o->gangs)
		return;
	memset(o->gang_size, 0, o->gang_room * sizeof(*o->gang_size));
	for (size_t row = 0; row < o->row_count; row++)
		if (rows->active[row] > 0 && receives(o, row))
			++*gang_size(o, row);
	for (size_t row = 0; row < o->row_count; row++) {
		const struct ogas_port *p = &o->ports[rows->port[row]];

		if (p->gang && *gang_size(o, row) < p->need)
			rows->served[row] = 0;
	}
}

/* Add up each row's utility, without the overhead. */
static void sum_values(struct astra_ogas *o)
{
	double *value = o->rows.value;

	if (!o->row_count)
		return;
	memset(value, 0, o->row_count * sizeof(*value));
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		for (size_t k = 0; k < o->types; k++) {
			ogas_values(n->utility[k], n->alpha[k], ogas_y(n, k),
				    n->count, o->z);
			for (size_t i = 0; i < n->count; i++)
				value[n->rows[i]] += o->z[i];
		}
	}
}

/* Return max_k beta_k sum_r y_lrk. worst: set to k*, the lowest k with that
 * value. */
static double overhead(struct astra_ogas *o, size_t row, uint32_t *worst)
{
	double most = 0;

	*worst = 0;
	for (size_t k = 0; k < o->types; k++)
		most = fmax(most, o->beta[k] * ogas_held(o, k)[row]);
	for (uint32_t k = 0; k < o->types; k++)
		if (astra_tied(o->beta[k] * ogas_held(o, k)[row], most)) {
			*worst = k;
			break;
		}
	return most;
}

/* Return q of the present y. `active` and the sums must be up to date. */
static double sum_reward(struct astra_ogas *o)
{
	double reward = 0;
	uint32_t worst;

	ogas_mark_served(o);
	sum_values(o);
	for (size_t row = 0; row < o->row_count; row++)
		if (o->rows.served[row] > 0)
			reward += o->rows.value[row] - overhead(o, row, &worst);
	return reward;
}

double astra_ogas_reward(struct astra_ogas *o, const uint32_t *x)
{
	ogas_mark_active(o, x);
	ogas_sum_held(o);
	return sum_reward(o);
}

/* Gather the data of a node's rows. Returns whether any of them learns. */
static bool step_gather(struct astra_ogas *o, const struct ogas_node *n)
{
	double any = 0;

	if (!n->count)
		return false;
	if (!o->gathered || o->gathered->count != n->count ||
	    memcmp(o->gathered->rows, n->rows, n->count * sizeof(*n->rows)) !=
		    0)
		for (size_t i = 0; i < n->count; i++) {
			uint32_t row = n->rows[i];

			o->rate[i] = o->rows.rate[row];
			for (size_t k = 0; k < o->types; k++) {
				size_t at = k * o->scratch_room + i;

				o->cap[at] = ogas_request(o, k)[row];
				o->penalty[at] = o->rows.worst[row] == k
							 ? o->beta[k]
							 : 0;
			}
		}
	o->gathered = n;
	for (size_t i = 0; i < n->count; i++)
		any += o->rate[i];
	return any > 0;
}

/* Put rate * gradient of one type (Zhao et al., Eq. 30) into z, plus y if
 * from_y. The gradient is the slope, minus beta if the type is k*. */
static void step_climb(struct astra_ogas *o, const struct ogas_node *n,
		       size_t k, bool from_y)
{
	const double *penalty = o->penalty + k * o->scratch_room;
	const double *y = ogas_y(n, k);

	ogas_slopes(n->utility[k], n->alpha[k], y, n->count, o->z);
	for (size_t i = 0; i < n->count; i += 2) {
		pair g = pair_sub(pair_load(o->z + i), pair_load(penalty + i));
		pair z = pair_mul(pair_load(o->rate + i), g);

		if (from_y)
			z = pair_add(pair_load(y + i), z);
		pair_store(o->z + i, z);
	}
}

static void project(struct astra_ogas *o, struct ogas_node *n, size_t k)
{
	astra_ogas_project(o->z, o->cap + k * o->scratch_room, n->capacity[k],
			   n->count, ogas_y(n, k), o->scratch);
}

void ogas_fit_node(struct astra_ogas *o, struct ogas_node *n)
{
	o->gathered = NULL;
	step_gather(o, n);
	for (size_t k = 0; k < o->types; k++) {
		double *y = ogas_y(n, k), sum = 0;

		for (size_t i = 0; i < n->count; i++)
			sum += y[i];
		/* A full node is within this tolerance after a projection. */
		if (sum <= n->capacity[k] + 1e-12 * n->capacity[k])
			continue;
		memcpy(o->z, y, n->count * sizeof(*y));
		project(o, n, k);
	}
}

static void update_node(struct astra_ogas *o, struct ogas_node *n)
{
	for (size_t k = 0; k < o->types; k++) {
		step_climb(o, n, k, true);
		project(o, n, k);
	}
}

static void set_rates(struct astra_ogas *o, double rate)
{
	for (size_t row = 0; row < o->row_count; row++)
		o->rows.rate[row] = o->rows.active[row] > 0 ? rate : 0;
	o->gathered = NULL;
}

/* Return |gradient|^2. Rows that take part must have a rate of 1. */
static double gradient_square(struct astra_ogas *o)
{
	double square = 0;

	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		if (!step_gather(o, n))
			continue;
		for (size_t k = 0; k < o->types; k++) {
			step_climb(o, n, k, false);
			for (size_t i = 0; i < n->count; i++)
				square += o->z[i] * o->z[i];
		}
	}
	return square;
}

double astra_ogas_diameter(const struct astra_ogas *o)
{
	double square = 0;

	for (size_t k = 0; k < o->types; k++) {
		double request = 0, capacity = 0;

		for (size_t row = 0; row < o->row_count; row++)
			request = fmax(request, ogas_request(o, k)[row]);
		for (size_t r = 0; r < o->node_count; r++)
			capacity += o->nodes[r].capacity[k];
		square += request * capacity;
	}
	return sqrt(2 * square);
}

static double slope_at_zero(const struct ogas_node *n, size_t k)
{
	const double zero[] = {0, 0};
	double slope[2];

	ogas_slopes(n->utility[k], n->alpha[k], zero, 1, slope);
	return slope[0];
}

double astra_ogas_slope(const struct astra_ogas *o)
{
	double square = 0, beta = 0;

	for (size_t k = 0; k < o->types; k++)
		beta = fmax(beta, o->beta[k]);
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];
		double steepest = 0;

		for (size_t k = 0; k < o->types; k++)
			steepest = fmax(steepest, slope_at_zero(n, k));
		square +=
			(double)n->count *
			(beta * beta + (double)o->types * steepest * steepest);
	}
	return sqrt(square);
}

/* Return the learning rate of the present slot. It is 0 if there is no slope,
 * and finite even if the slope is tiny. */
static double learning_rate(struct astra_ogas *o)
{
	const struct astra_ogas_options *opt = &o->options;
	double slots = (double)(opt->horizon ? opt->horizon : o->slot + 1);
	double slope;

	if (opt->rate == ASTRA_OGAS_DECAY)
		return opt->eta0 * pow(opt->decay, (double)o->slot);
	if (opt->rate == ASTRA_OGAS_CONST) {
		slope = astra_ogas_slope(o);
	} else {
		set_rates(o, 1);
		slope = sqrt(gradient_square(o));
	}
	if (!(slope > 0))
		return 0;
	return fmin(astra_ogas_diameter(o) / (slope * sqrt(slots)), RATE_MAX);
}

/* Move y a step up on the nodes of ports with jobs. The sums must be up to
 * date. */
static void step_ascend(struct astra_ogas *o)
{
	double rate;

	for (size_t row = 0; row < o->row_count; row++)
		overhead(o, row, &o->rows.worst[row]);
	rate = learning_rate(o);
	set_rates(o, rate);
	for (size_t r = 0; r < o->node_count; r++)
		if (step_gather(o, &o->nodes[r]))
			update_node(o, &o->nodes[r]);
}

static void swap_learned(struct astra_ogas *o)
{
	for (size_t r = 0; r < o->node_count; r++) {
		struct ogas_node *n = &o->nodes[r];
		double *y = n->y;

		n->y = n->learned;
		n->learned = y;
	}
}

void ogas_take_back(struct astra_ogas *o)
{
	if (!o->lending)
		return;
	o->lending = false;
	swap_learned(o);
	for (size_t r = 0; r < o->node_count; r++)
		ogas_fit_node(o, &o->nodes[r]);
}

/* Set aside what is learned; y becomes the slot's allocation. */
static void step_lend(struct astra_ogas *o)
{
	o->lending = true;
	for (size_t r = 0; r < o->node_count; r++) {
		const struct ogas_node *n = &o->nodes[r];

		for (size_t k = 0; n->count && k < o->types; k++) {
			double *y = ogas_y(n, k);

			memcpy(n->learned + k * n->room, y,
			       n->count * sizeof(*y));
			for (size_t i = 0; i < n->count; i++)
				y[i] *= o->rows.active[n->rows[i]];
		}
	}
	for (uint32_t step = 0; step < o->options.lent_steps; step++) {
		ogas_sum_held(o);
		step_ascend(o);
	}
}

double astra_ogas_step(struct astra_ogas *o, const uint32_t *x)
{
	double reward = 0;

	ogas_take_back(o);
	ogas_mark_active(o, x);
	ogas_sum_held(o);
	if (!o->options.reactive)
		reward = sum_reward(o);
	step_ascend(o);
	o->slot++;
	if (!o->options.reactive)
		return reward;
	if (o->options.lent_steps)
		step_lend(o);
	ogas_sum_held(o);
	return sum_reward(o);
}
