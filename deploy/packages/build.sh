#!/bin/bash
# Builds the deb and rpm packages in build/packages and checks what they hold. It runs in the root of the repository.
#   VERSION=1.2.3 ARCH=arm64 MAINTAINER='Ann <ann@example.org>' deploy/packages/build.sh PROGRAM NATIVE NAME...
# PROGRAM is packaged and built for ARCH, NATIVE is the same program for this machine, NAMEs are what it answers to.
# NFPM is the command that packages. With SOURCE_DATE_EPOCH equal inputs give equal packages.
set -euo pipefail
program=$1 native=$2
shift 2
: "${VERSION:?}" "${ARCH:?}" "${MAINTAINER:?}" "${NFPM:?}"

rm -rf build/packages
install -d build/packages/systemd
install -m 0755 "$program" build/packages/mom
for unit in deploy/systemd/*.service; do
	sed 's,/usr/local/bin/,/usr/bin/,' "$unit" > "build/packages/systemd/$(basename "$unit")"
done
deploy/packages/pages.sh "$native" build/packages "$@"
for config in deploy/packages/*.yaml; do
	for kind in deb rpm; do
		$NFPM package -f "$config" -p "$kind" -t build/packages
	done
done
deploy/packages/check.sh build/packages
