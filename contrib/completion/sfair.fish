# SPDX-License-Identifier: GPL-2.0-or-later
# Fish completion for sfair, sfairsim and sfair-agent, from the programs' own
# --completion: a line an option, as -L, --NAME=, VALUE, HELP.

# The program, and its command and report if they are there.
function __sfair_words
    set -l words (commandline -opc)
    echo $words[1]
    string match -rq '^[a-z]' -- "$words[2]"; and echo $words[2]
    string match -rq '^[a-zA-Z]+$' -- "$words[3]"; and echo $words[3]
end

function __sfair_offer
    set -l words (__sfair_words)
    if test (count $words) = 1; and test $words[1] != sfair-agent
        $words[1] --help 2>/dev/null | string replace -rf \
            '^  ([a-z][a-z-]*)(?: [^ ]+)?  +(.*)' '$1\t$2'
    end
    $words --help 2>/dev/null | string replace -rf \
        '^  ([A-Z][a-z]+) +(.*)' '$1\t$2'
    $words --completion 2>/dev/null | string replace -r \
        '^[^\t]*\t([^\t]*)\t[^\t]*\t(.*)' '$1\t$2'
end

for program in sfair sfairsim sfair-agent
    complete -c $program -a '(__sfair_offer)'
end
