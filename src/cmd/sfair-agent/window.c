/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair-agent/window.h"

#include <string.h>

static void window_forget(struct agent_window *w, size_t size)
{
	w->size -= size;
	memmove(w->bytes, w->bytes + size, w->size);
}

void agent_window_add(struct agent_window *w, const char *bytes, size_t size,
		      double at_sec)
{
	if (size > AGENT_WINDOW) {
		bytes += size - AGENT_WINDOW;
		size = AGENT_WINDOW;
	}
	/* Half of it at once, so that a flood does not move it all the time. */
	if (w->size + size > AGENT_WINDOW && w->size > AGENT_WINDOW / 2)
		window_forget(w, w->size - AGENT_WINDOW / 2);
	if (w->size + size > AGENT_WINDOW)
		window_forget(w, w->size + size - AGENT_WINDOW);
	memcpy(w->bytes + w->size, bytes, size);
	w->size += size;
	w->at_sec = at_sec;
}

static bool ends_line(char c)
{
	return c == '\n' || c == '\r';
}

/* The size of what is before the last line's end in the first `size` bytes;
 * AGENT_WINDOW: there is none. */
static size_t before_end(const struct agent_window *w, size_t size)
{
	while (size)
		if (ends_line(w->bytes[--size]))
			return size;
	return AGENT_WINDOW;
}

bool agent_window_line(const struct agent_window *w, size_t *end, char *line)
{
	size_t begin, size;

	if (*end == AGENT_WINDOW)
		*end = before_end(w, w->size);
	if (*end == AGENT_WINDOW || !*end)
		return false;
	begin = before_end(w, *end);
	begin = begin == AGENT_WINDOW ? 0 : begin + 1;
	size = *end - begin;
	if (size >= AGENT_LINE)
		size = AGENT_LINE - 1;
	memcpy(line, w->bytes + begin, size);
	line[size] = '\0';
	*end = begin ? begin - 1 : 0;
	return true;
}

void agent_window_trim(struct agent_window *w)
{
	size_t end = before_end(w, w->size);

	if (end < AGENT_WINDOW)
		window_forget(w, end + 1);
}
