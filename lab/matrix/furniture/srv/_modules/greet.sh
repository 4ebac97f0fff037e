#!/bin/sh
# A module for minions of ours: greet.hello WHO.
read -r question
case $question in
*'"call": "describe"'*)
    echo '{"functions": {"hello": {"doc": "Say hello.", "args": ["who"]}}}' ;;
*)
    who=$(printf '%s' "$question" | sed -n 's/.*"who": "\([^"\\]*\)".*/\1/p')
    id=$(printf '%s' "$question" | sed -n 's/.*"id": "\([^"\\]*\)".*/\1/p')
    printf '{"return": "hello %s of %s"}\n' "$who" "$id" ;;
esac
