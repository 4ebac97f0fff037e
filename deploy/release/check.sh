#!/bin/bash
# Builds a release again, from a clone in another folder and with an empty build cache, and compares the files with build/release.
#   (environment of build.sh) deploy/release/check.sh VERSION SYSTEM...
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -f build/release/SHA256SUMS ] || { echo 'release-check: build/release has no SHA256SUMS; run make release first' >&2; exit 1; }
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
git clone -q --no-hardlinks . "$again/mom"
TOOL_CACHE=$(go env GOCACHE) GOCACHE=$again/cache "$again/mom/deploy/release/build.sh" "$@" > "$again/log" || { cat "$again/log"; exit 1; }
cp "$again/mom/build/release/SHA256SUMS" "$again/sums"
(cd build/release && sha256sum --check "$again/sums")
echo "a second build gives the same $(wc -l < "$again/sums") files"
