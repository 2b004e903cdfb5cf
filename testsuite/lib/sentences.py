#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Name the sentences of documents that are longer than 30 words.

usage: sentences.py FILE...    .md files, and manual pages in mdoc

Tables, code and lists of options are not sentences. Ends with 1 if there is one.
"""
import re
import sys

MOST = 30


def paragraphs_of_markdown(text):
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.S)
    for block in re.split(r"\n\s*\n", text):
        lines = [line for line in block.split("\n")
                 if not re.match(r"\||    |#|!\[", line)]
        for item in re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", "\n".join(lines)):
            yield item


def paragraphs_of_mdoc(text):
    text = re.sub(r"^\.Bd.*?^\.Ed", ".Pp", text, flags=re.S | re.M)
    text = re.sub(r"^\.Sh SYNOPSIS.*?^(?=\.Sh)", "", text, flags=re.S | re.M)
    words = []
    for line in text.split("\n"):
        if line.startswith('.\\"'):
            continue
        if re.match(r"\.(Sh|Ss|It|Pp|Bl|El|Dl|D1|Nd|Sy)\b", line):
            yield " ".join(words)
            words = []
        elif line.startswith("."):
            words += [w for w in line[1:].split()[1:]
                      if not re.match(r"^([A-Z][a-z]|[.,:;()|=])$", w)]
            if re.search(r" [.]$", line):
                words[-1:] = [words[-1] + "."] if words else []
        else:
            words += line.split()
            if re.search(r"[.:]$", line):
                yield " ".join(words)
                words = []
    yield " ".join(words)


def long_sentences(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    mdoc = not path.endswith(".md")
    for paragraph in (paragraphs_of_mdoc if mdoc else
                      paragraphs_of_markdown)(text):
        paragraph = re.sub(r"`[^`]*`", "code", paragraph)
        for sentence in re.split(r"(?<=[.?!:;])\s+", paragraph):
            words = [w for w in sentence.split() if re.search(r"\w", w)]
            if len(words) > MOST:
                yield len(words), " ".join(sentence.split())


def main(paths):
    found = 0
    for path in paths:
        for count, sentence in long_sentences(path):
            found = 1
            print("%s: %d words: %s..." % (path, count, sentence[:90]))
    return found


sys.exit(main(sys.argv[1:]))
