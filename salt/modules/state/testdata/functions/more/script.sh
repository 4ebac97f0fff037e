#!/bin/sh
# {{ word | default("") }}
echo "$# $1:$2 $E"
[ "$1" != fail ] || exit 4
