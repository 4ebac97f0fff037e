#!/bin/bash
# Builds a release in build/release: an archive and an SBOM for each system, packages for Linux, SHA256SUMS.
#   NAMES='mom salt …' MAINTAINER='Ann <ann@example.org>' NFPM=… CYCLONEDX=… deploy/release/build.sh VERSION SYSTEM...
# `make release` calls it. The same commit, version, maintainer and Go version give the same bytes in any folder.
# TOOL_CACHE is the Go build cache for nfpm and cyclonedx-gomod, if it differs from the one for mom.
set -euo pipefail
cd "$(dirname "$0")/../.."
export VERSION=$1 MAINTAINER NFPM
shift
: "${NAMES:?}" "${MAINTAINER:?}" "${NFPM:?}" "${CYCLONEDX:?}"

fail() {
	echo "release: $*" >&2
	exit 1
}
[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || fail "the version is '$VERSION', want one like 1.2.3 (make release VERSION=1.2.3)"
grep -q "^## $VERSION - " CHANGELOG.md || fail "CHANGELOG.md has no section '## $VERSION - DATE'"
[ -z "$(git status --porcelain)" ] || fail 'the work tree has changes; commit them first'

export LC_ALL=C TZ=UTC SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git show -s --format=%ct HEAD)
export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false' GOAMD64=v1 GOARM64=v8.0 GOEXPERIMENT=
umask 022
out=build/release
work=build/release-work
rm -rf "$out" "$work"
mkdir -p "$out" "$work"

compile() { # SYSTEM FILE
	GOOS=${1%/*} GOARCH=${1#*/} go build -ldflags "-s -w -X main.stamped=$VERSION" -o "$2" ./mom
}
tool() {
	GOCACHE=${TOOL_CACHE:-$(go env GOCACHE)} "$@"
}

native=$work/native
compile "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" "$native"
got=$("$native" --version)
[ "$got" = "mom version $VERSION" ] || fail "the binary says '$got', want 'mom version $VERSION'"
# shellcheck disable=SC2086 # names have no spaces
deploy/packages/pages.sh "$native" "$work/pages" $NAMES

for system in "$@"; do
	os=${system%/*} arch=${system#*/}
	name=mom-$VERSION-$os-$arch
	echo "== $name"
	mkdir "$work/$name"
	binary=$work/$name/mom
	[ "$os" != windows ] || binary=$binary.exe
	compile "$system" "$binary"
	tool $CYCLONEDX bin -json -noserial -notimestamp -std -version "v$VERSION" -output "$out/$name.cdx.json" "$binary"

	cp LICENSE README.md CHANGELOG.md "$work/$name"
	cp -r "$work/pages/man" "$work/pages/completion" "$work/$name"
	if [ "$os" = linux ]; then
		cp -r deploy/systemd "$work/$name"
		# shellcheck disable=SC2086
		ARCH=$arch tool deploy/packages/build.sh "$work/$name/mom" "$native" $NAMES
		cp build/packages/*.deb build/packages/*.rpm "$out"
	fi
	chmod -R u=rwX,go=rX "$work/$name"
	tar --create --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -C "$work" "$name" |
		gzip -9n > "$out/$name.tar.gz"
done
rm -rf "$work" build/packages
cd "$out"
sums=$(sha256sum -- *)
tee SHA256SUMS <<< "$sums"
