/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/cmd/sfair/top.h"

#ifdef ASTRA_NCURSES

#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <term.h>
#include <unistd.h>

#undef columns	       /* of term.h */
#define ESCAPE_MSEC 25 /* wait after Esc for the rest of a key's code */

static SCREEN *screen;

static bool can_move(void)
{
	const char *cup = tigetstr("cup");

	return cup && cup != (const char *)-1;
}

int top_screen_check(struct astra_error *err)
{
	const char *term = getenv("TERM");
	int found = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return astra_error_set(
			err,
			"this is no terminal: sfair top -b prints the same as text");
	if (!term || !*term)
		return astra_error_set(
			err,
			"TERM is not set: set it, or let sfair top -b print the same as text");
	if (setupterm(term, STDOUT_FILENO, &found) == ERR)
		return astra_error_set(
			err,
			"TERM=%.64s is not known here: set another, or let sfair top -b print the same as text",
			term);
	if (!can_move())
		return astra_error_set(
			err,
			"TERM=%.64s has no full screen: sfair top -b prints the same as text",
			term);
	return 0;
}

static void start_colours(void)
{
	static const short colours[TOP_COLOURS] = {
		COLOR_CYAN,    COLOR_GREEN, COLOR_YELLOW,
		COLOR_MAGENTA, COLOR_BLUE,  COLOR_RED,
	};

	if (!has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	for (short i = 0; i < TOP_COLOURS; i++)
		init_pair((short)(i + 1), colours[i], -1);
}

int top_screen_open(struct astra_error *err)
{
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return astra_error_set(
			err,
			"the terminal cannot be used: sfair top -b prints the same as text");
	set_escdelay(ESCAPE_MSEC);
	/* Ctrl-Z and Ctrl-C still send signals */
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	start_colours();
	return 0;
}

void top_screen_close(void)
{
	if (!screen)
		return;
	erase();
	refresh();
	endwin();
	delscreen(screen);
	screen = NULL;
}

void top_screen_size(size_t *rows, size_t *columns)
{
	int y = getmaxy(stdscr), x = getmaxx(stdscr);

	*rows = y > 0 ? (size_t)y : 1;
	*columns = x > 0 ? (size_t)x : 1;
}

static attr_t attributes(unsigned style, short *pair)
{
	*pair = 0;
	switch (style) {
	case TOP_PLAIN:
		return A_NORMAL;
	case TOP_BOLD:
		return A_BOLD;
	case TOP_DIM:
		return A_DIM;
	case TOP_HEADER:
	case TOP_SELECTED:
		return A_REVERSE;
	case TOP_ERROR:
		*pair = TOP_COLOURS; /* red */
		return A_BOLD | A_REVERSE;
	default:
		*pair = (short)(style - TOP_COLOUR + 1);
		return A_BOLD;
	}
}

static void show_row(const struct top_sheet *sheet, size_t row)
{
	const struct top_cell *cells = sheet->cells + row * sheet->columns;

	move((int)row, 0);
	for (size_t i = 0; i < sheet->columns; i++) {
		const wchar_t text[] = {cells[i].ch, L'\0'};
		short pair;
		attr_t attrs = attributes(cells[i].style, &pair);
		cchar_t out;

		if (cells[i].ch &&
		    setcchar(&out, text, attrs, has_colors() ? pair : (short)0,
			     NULL) != ERR)
			add_wch(&out);
	}
}

void top_screen_show(const struct top_sheet *sheet)
{
	erase();
	for (size_t i = 0; i < sheet->rows; i++)
		show_row(sheet, i);
	refresh();
}

int top_screen_key(void)
{
	static const struct {
		int code, key;
	} keys[] = {
		{ERR, TOP_KEY_NONE},
		{KEY_UP, TOP_KEY_UP},
		{KEY_DOWN, TOP_KEY_DOWN},
		{KEY_LEFT, TOP_KEY_LEFT},
		{KEY_RIGHT, TOP_KEY_RIGHT},
		{KEY_PPAGE, TOP_KEY_PAGE_UP},
		{KEY_NPAGE, TOP_KEY_PAGE_DOWN},
		{KEY_HOME, TOP_KEY_HOME},
		{KEY_END, TOP_KEY_END},
		{KEY_BTAB, TOP_KEY_BACKTAB},
		{KEY_BACKSPACE, TOP_KEY_ERASE},
		{KEY_ENTER, '\n'},
		{KEY_RESIZE, TOP_KEY_RESIZE},
	};
	int code = getch();

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].code == code)
			return keys[i].key;
	return code < 256 ? code : TOP_KEY_RESIZE;
}

#else

int top_screen_check(struct astra_error *err)
{
	return astra_error_set(
		err,
		"this sfair was built without ncurses: sfair top -b prints the same as text; for a screen install libncurses-dev and build it again");
}

int top_screen_open(struct astra_error *err)
{
	return top_screen_check(err);
}

void top_screen_close(void)
{
}

void top_screen_size(size_t *rows, size_t *columns)
{
	*rows = *columns = 1;
}

void top_screen_show(const struct top_sheet *sheet)
{
	(void)sheet;
}

int top_screen_key(void)
{
	return TOP_KEY_NONE;
}

#endif
