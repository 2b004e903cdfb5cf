/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sfair web: the command, and the answers to readers, which all come from
 * memory. */
#include "src/cmd/sfair/web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/cmd/sfair/http.h"
#include "src/proto/listen.h"

#define PORT "8817"
#define CLIENTS_MAX 500
#define CLIENTS_OF_ONE_MAX 250 /* a proxy connects for all its readers */
#define EVERY_SEC 10

struct web_args {
	const char *listen;
	struct http_nets nets;
	struct astra_names names;
	const char *frame; /* the origin that may frame the page; NULL: none */
	uint32_t every_sec;
	bool verbose;
};

struct web {
	struct web_state *state;
	long started; /* part of entity tags, since their indices restart with
		       * each process */
	struct astra_text frames; /* the header with the origins that may frame
				   * the page */
	bool framed;		  /* some origin may */
};

/* ---- Answers. ---- */

#ifdef ASTRA_MICROHTTPD

#define TAG_BYTES 64
#define BLOCK_BYTES 16384

/* Headers that restrict browsers, in addition to those of the page itself. */
static const char *const web_headers[][2] = {
	{"Cache-Control", "no-cache"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Referrer-Policy", "no-referrer"},
	{"Vary", "Accept-Encoding"},
	{"X-Content-Type-Options", "nosniff"},
};

struct web_reply {
	unsigned int status;
	const char *tag, *type;
	bool packed;
};

static enum MHD_Result web_send(const struct web *web,
				struct MHD_Connection *connection,
				const struct web_reply *reply,
				struct MHD_Response *response)
{
	enum MHD_Result rc;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(web_headers) / sizeof(*web_headers); i++)
		MHD_add_response_header(response, web_headers[i][0],
					web_headers[i][1]);
	MHD_add_response_header(response, "Content-Security-Policy",
				web->frames.bytes);
	if (!web->framed)
		MHD_add_response_header(response, "X-Frame-Options", "DENY");
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
				reply->type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, reply->tag);
	if (reply->packed)
		MHD_add_response_header(
			response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (reply->status == MHD_HTTP_SERVICE_UNAVAILABLE)
		MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER,
					"10");
	rc = MHD_queue_response(connection, reply->status, response);
	MHD_destroy_response(response);
	return rc;
}

static ssize_t web_read(void *cls, uint64_t at, char *to, size_t most)
{
	const struct astra_text *text = &((struct web_body *)cls)->text;
	size_t size = text->size - at < most ? text->size - at : most;

	memcpy(to, text->bytes + at, size);
	return (ssize_t)size;
}

static void web_read_end(void *cls)
{
	web_state_put(((struct web_body *)cls)->of);
}

/* Returns a response that shares the body's bytes. The response gives the
 * documents back when it ends. */
static struct MHD_Response *web_share(struct web_body *body)
{
	struct MHD_Response *response = MHD_create_response_from_callback(
		body->text.size, BLOCK_BYTES, web_read, body, web_read_end);

	if (!response)
		web_state_put(body->of);
	return response;
}

static bool web_has(struct MHD_Connection *connection, const char *name,
		    const char *word)
{
	const char *value =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);

	return value && strstr(value, word);
}

static enum MHD_Result web_answer(struct web *web,
				  struct MHD_Connection *connection,
				  enum web_form form, const char *type)
{
	struct web_documents *d = web_state_get(web->state);
	struct web_document *one = d ? &d->forms[form] : NULL;
	char tag[TAG_BYTES];
	struct web_reply reply = {MHD_HTTP_NOT_MODIFIED, tag, type, false};

	if (!d)
		return MHD_NO;
	snprintf(tag, sizeof(tag), "W/\"%lx-%llx\"", web->started,
		 (unsigned long long)d->number);
	if (d->answers && web_has(connection, MHD_HTTP_HEADER_IF_NONE_MATCH,
				  tag + strlen("W/"))) {
		web_state_put(d);
		return web_send(web, connection, &reply,
				MHD_create_response_from_buffer(
					0, NULL, MHD_RESPMEM_PERSISTENT));
	}
	reply.status = d->answers ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
	reply.packed =
		one->packed.text.size &&
		web_has(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING, "gzip");
	return web_send(web, connection, &reply,
			web_share(reply.packed ? &one->packed : &one->plain));
}

static enum MHD_Result web_answer_page(void *arg,
				       struct MHD_Connection *connection)
{
	return web_answer(arg, connection, WEB_PAGE, HTTP_HTML);
}

static enum MHD_Result web_answer_json(void *arg,
				       struct MHD_Connection *connection)
{
	return web_answer(arg, connection, WEB_JSON, "application/json");
}

static const struct http_path web_paths[] = {
	{"/", web_answer_page},
	{"/data.json", web_answer_json},
	{NULL, NULL},
};

#else
static const struct http_path web_paths[] = {{NULL, NULL}};
#endif

/* ---- The command. ---- */

static int web_set_listen(const struct astra_cli_option *row, void *at,
			  const char *value, struct astra_error *err)
{
	if (!astra_listen_valid(value, 0))
		return astra_error_set(err, "PORT or ADDRESS:PORT, a port from "
					    "0 to 65535");
	return astra_cli_text(row, at, value, err);
}

static int web_set_nets(const struct astra_cli_option *row, void *at,
			const char *value, struct astra_error *err)
{
	(void)row;
	return http_nets_parse(at, value, err);
}

/* Accepts only an origin, as the value becomes part of a header. */
static int web_set_frame(const struct astra_cli_option *row, void *at,
			 const char *value, struct astra_error *err)
{
	const char *host = strstr(value, "://");

	if ((strncmp(value, "https://", 8) && strncmp(value, "http://", 7)) ||
	    !host[3] ||
	    host[3 +
		 strspn(host + 3,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]")])
		return astra_error_set(err,
				       "https://HOST or https://HOST:PORT, "
				       "without a path");
	return astra_cli_text(row, at, value, err);
}

#define IN(member) ASTRA_CLI_IN(struct web_args, member)

static const struct astra_cli_option web_options[] = {
	{"listen", 0, "[ADDRESS:]PORT",
	 "where [127.0.0.1:" PORT "; with --allow all addresses]",
	 ASTRA_CLI_BY(web_set_listen, struct web_args, listen)},
	{"allow", 0, "NETWORK,...",
	 "who may connect besides this host: 10.0.0.0/8, 192.0.2.7, all",
	 ASTRA_CLI_BY(web_set_nets, struct web_args, nets)},
	{"name", 0, "HOST,...",
	 "names under which readers reach it, besides this host's own",
	 ASTRA_CLI_BY(sfair_set_names, struct web_args, names)},
	{"frame", 0, "ORIGIN",
	 "a portal that may show it in a frame: https://portal.example",
	 ASTRA_CLI_BY(web_set_frame, struct web_args, frame)},
	{"interval", 0, "SECONDS", "how often the plugin is asked [10]",
	 IN(every_sec), .least = 1, .most = 3600},
	ASTRA_CLI_HELP,
	{"verbose", 'v', NULL, "say whom it asks", IN(verbose)},
	ASTRA_CLI_END,
};

static int web_parse(int argc, char **argv, struct web_args *args,
		     struct astra_error *err)
{
	static const struct astra_cli cli = {
		.name = "sfair web",
		.usage = "sfair web [OPTION]...",
		.summary =
			"Serve a page of GPUs by node and tenant, leases, the queue and the last day's\n"
			"fairness, always new, over HTTP until a SIGTERM. It shows what any user may see.",
		.options = web_options,
		.end = SFAIR_EXIT_STATUS,
	};
	int rc = astra_cli_parse(&cli, argc, argv, args, err);

	if (!args->listen)
		args->listen = args->nets.count ? PORT : "127.0.0.1:" PORT;
	return rc;
}

static int web_run(struct web_args *args, struct astra_error *err)
{
	struct web web = {.started = (long)time(NULL)};
	struct sfair_where where = {0};
	const struct http_options options = {
		.where = args->listen,
		.clients = CLIENTS_MAX,
		.clients_of_one = CLIENTS_OF_ONE_MAX,
		.paths = web_paths,
		.other = "There are only / and /data.json.\n",
		.without = "; sfair report --html makes a page, too",
		.arg = &web,
		.nets = &args->nets,
		.names = &args->names,
	};
	int fd, rc = -1;

	web.framed = args->frame;
	astra_text_printf(&web.frames, "frame-ancestors %s",
			  args->frame ? args->frame : "'none'");
	if (http_own_names(&args->names) < 0 || web.frames.failed)
		return astra_error_nomem(err);
	fd = http_listen(&options, err);
	if (fd < 0)
		return -1;
	if (!sfair_find(&where, err))
		web.state = web_state_start(&where, args->every_sec,
					    args->verbose, err);
	sfair_where_clear(&where);
	if (web.state)
		rc = http_serve(&options, fd, err);
	else
		close(fd);
	web_state_stop(web.state);
	astra_text_clear(&web.frames);
	return rc;
}

int sfair_web(int argc, char **argv, struct astra_error *err)
{
	struct web_args args = {.every_sec = EVERY_SEC};
	int rc = web_parse(argc, argv, &args, err);

	if (!rc)
		rc = web_run(&args, err);
	astra_names_clear(&args.names);
	return rc;
}
