/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two numbers at once: in the vector registers that every x86-64 has, or
 * elsewhere one after the other. Both do the same operations, so the results
 * have the same bits. (gcc 12 compiles comparisons of generic vectors to scalar
 * code.) */
#ifndef ASTRA_OGAS_PAIR_H
#define ASTRA_OGAS_PAIR_H

#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>

typedef __m128d pair;

static inline pair pair_set(double x, double y)
{
	return _mm_set_pd(y, x);
}

static inline pair pair_load(const double *from)
{
	return _mm_loadu_pd(from);
}

static inline void pair_store(double *to, pair x)
{
	_mm_storeu_pd(to, x);
}

static inline double pair_first(pair x)
{
	return _mm_cvtsd_f64(x);
}

static inline double pair_second(pair x)
{
	return _mm_cvtsd_f64(_mm_unpackhi_pd(x, x));
}

static inline pair pair_add(pair x, pair y)
{
	return _mm_add_pd(x, y);
}

static inline pair pair_sub(pair x, pair y)
{
	return _mm_sub_pd(x, y);
}

static inline pair pair_mul(pair x, pair y)
{
	return _mm_mul_pd(x, y);
}

static inline pair pair_div(pair x, pair y)
{
	return _mm_div_pd(x, y);
}

static inline pair pair_sqrt(pair x)
{
	return _mm_sqrt_pd(x);
}

static inline pair pair_min(pair x, pair y)
{
	return _mm_min_pd(x, y);
}

static inline pair pair_max(pair x, pair y)
{
	return _mm_max_pd(x, y);
}

/* Return, for each of the two, z if x < y, else 0. */
static inline pair pair_if_less(pair x, pair y, pair z)
{
	return _mm_and_pd(_mm_cmplt_pd(x, y), z);
}

#else

typedef struct {
	double x[2];
} pair;

static inline pair pair_set(double x, double y)
{
	return (pair){{x, y}};
}

static inline pair pair_load(const double *from)
{
	return (pair){{from[0], from[1]}};
}

static inline void pair_store(double *to, pair x)
{
	to[0] = x.x[0];
	to[1] = x.x[1];
}

static inline double pair_first(pair x)
{
	return x.x[0];
}

static inline double pair_second(pair x)
{
	return x.x[1];
}

static inline pair pair_add(pair x, pair y)
{
	return (pair){{x.x[0] + y.x[0], x.x[1] + y.x[1]}};
}

static inline pair pair_sub(pair x, pair y)
{
	return (pair){{x.x[0] - y.x[0], x.x[1] - y.x[1]}};
}

static inline pair pair_mul(pair x, pair y)
{
	return (pair){{x.x[0] * y.x[0], x.x[1] * y.x[1]}};
}

static inline pair pair_div(pair x, pair y)
{
	return (pair){{x.x[0] / y.x[0], x.x[1] / y.x[1]}};
}

static inline pair pair_sqrt(pair x)
{
	return (pair){{sqrt(x.x[0]), sqrt(x.x[1])}};
}

static inline double pair_less(double x, double y)
{
	return x < y ? x : y;
}

static inline double pair_more(double x, double y)
{
	return x > y ? x : y;
}

static inline pair pair_min(pair x, pair y)
{
	return (pair){{pair_less(x.x[0], y.x[0]), pair_less(x.x[1], y.x[1])}};
}

static inline pair pair_max(pair x, pair y)
{
	return (pair){{pair_more(x.x[0], y.x[0]), pair_more(x.x[1], y.x[1])}};
}

/* Return, for each of the two, z if x < y, else 0. */
static inline pair pair_if_less(pair x, pair y, pair z)
{
	return (pair){
		{x.x[0] < y.x[0] ? z.x[0] : 0, x.x[1] < y.x[1] ? z.x[1] : 0}};
}

#endif

static inline pair pair_both(double x)
{
	return pair_set(x, x);
}

static inline double pair_sum(pair x)
{
	return pair_first(x) + pair_second(x);
}

#endif
