#!/usr/bin/env bash
# What shells offer after Tab: every option that --help has, and no other.
set -u
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
    run 0 completions $shell
    cp "$OUT" kith.$shell
done
refuse 2 'bash, zsh or fish' completions
refuse 2 'bash, zsh or fish' completions tcsh
check "bash reads it" bash -n kith.bash
. ./kith.bash
offer() { # WORD...: what is offered for the last one
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _kith
    printf '%s\n' "${COMPREPLY[@]}"
}
long() { grep -Eo -- '--[a-z][a-z-]*' | sort -u; }
commands=$("$KITH" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\).*/\1/p')
check "commands" [ "$(offer kith '' | grep -v '^-' | sort | xargs)" = "$(echo $commands help | xargs -n 1 | sort | xargs)" ]
check "the rest of a word" [ "$(offer kith km | xargs)" = "kmeans kmedian" ]
check "parts" [ "$(offer kith budget cre)" = create ]
check "a name of a file is left to the shell" [ -z "$(offer kith kmeans ro | xargs)" ]
# Words of --help that begin an option's line are its options.
options() { "$KITH" "$@" --help | sed -n 's/^  \(-[a-zA-Z], \|    \)\(--[a-z-]*\).*/\2/p' | sort -u; }
for c in kmeans kmedian subspace bounds sweep verify "budget create" "local plan"; do
    check "$c" [ "$(offer kith $c - | long | xargs)" = "$(options $c | xargs)" ]
    for o in $(options $c); do
        [ "$o" = --help ] && continue
        check "zsh has $o" grep -q -- "'$o" kith.zsh
        check "fish has $o" grep -q -- "-l ${o#--} \?" kith.fish
    done
done
for shell in zsh fish; do
    if command -v $shell >/dev/null; then
        check "$shell reads it" $shell -n kith.$shell
    else
        echo "SKIPPED: $shell is not installed: its file was not read"
    fi
done
finish
