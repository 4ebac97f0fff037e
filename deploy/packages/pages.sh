#!/bin/bash
# Writes the manual pages and shell completions of a program for each of its names.
#   deploy/packages/pages.sh PROGRAM FOLDER NAME...
set -euo pipefail
program=$1 out=$2
shift 2
install -d "$out"/man "$out"/completion/{bash,zsh,fish}
"$program" man "$out/man" >/dev/null
gzip -9n "$out"/man/*.1
for name in "$@"; do
	(exec -a "$name" "$program" completion bash) > "$out/completion/bash/$name"
	(exec -a "$name" "$program" completion zsh) > "$out/completion/zsh/_$name"
	(exec -a "$name" "$program" completion fish) > "$out/completion/fish/$name.fish"
done
