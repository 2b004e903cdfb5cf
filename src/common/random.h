/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers from a seed: the same on every machine. xoshiro256** seeded by
 * splitmix64 (D. Blackman, S. Vigna: Scrambled linear pseudorandom number
 * generators, ACM TOMS 47, 2021). */
#ifndef ASTRA_RANDOM_H
#define ASTRA_RANDOM_H

#include <math.h>
#include <stdint.h>

struct astra_random {
	uint64_t state[4];
};

/* Return the next number of the sequence in *state. */
static inline uint64_t astra_splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline struct astra_random astra_random_seed(uint64_t seed)
{
	struct astra_random random;

	for (int i = 0; i < 4; i++)
		random.state[i] = astra_splitmix64(&seed);
	return random;
}

/* Return 64 random bits. */
static inline uint64_t astra_random_bits(struct astra_random *random)
{
	uint64_t *s = random->state, t = s[1] << 17, x = s[1] * 5;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = s[3] << 45 | s[3] >> 19;
	return (x << 7 | x >> 57) * 9;
}

/* Return a number in [0, 1), a multiple of 2^-53. */
static inline double astra_random_uniform(struct astra_random *random)
{
	return (double)(astra_random_bits(random) >> 11) * 0x1p-53;
}

/* Return one of 0 … count - 1, count > 0. The bias is below count / 2^64. */
static inline uint64_t astra_random_below(struct astra_random *random,
					  uint64_t count)
{
	return (uint64_t)((unsigned __int128)astra_random_bits(random) *
				  count >>
			  64);
}

static inline double astra_random_exponential(struct astra_random *random,
					      double mean)
{
	return -mean * log1p(-astra_random_uniform(random));
}

/* Return a normal number with mean 0 and variance 1 (Box and Muller; the second
 * number is not used, so that each call takes the same number of bits). */
static inline double astra_random_normal(struct astra_random *random)
{
	double r = sqrt(-2.0 * log1p(-astra_random_uniform(random)));

	return r * cos(2.0 * M_PI * astra_random_uniform(random));
}

/* Return exp of a normal number with mean log(median) and standard deviation
 * sigma. */
static inline double astra_random_lognormal(struct astra_random *random,
					    double median, double sigma)
{
	return median * exp(sigma * astra_random_normal(random));
}

#endif
