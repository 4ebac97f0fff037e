#!/bin/bash
# Looks at what `make packages` has built: each file in its place, each unit good.
#   deploy/packages/check.sh FOLDER
set -euo pipefail
dir=$1
here=$(dirname "$0")
command -v dpkg-deb >/dev/null || { echo 'deploy/packages/check.sh: there is no dpkg-deb to look into a package with' >&2; exit 1; }

for name in mom mom-salt; do
	deb=$(ls "$dir/${name}_"*.deb)
	echo "== $deb"
	dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print $1, $6 ($7 == "->" ? " -> " $8 : "") }' | LC_ALL=C sort -k2 | diff "$here/$name.files" -
	ls "$dir/$name-"*.rpm >/dev/null
done

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
dpkg-deb -x "$(ls "$dir"/mom_*.deb)" "$unpacked"
if [ "$(dpkg-deb -f "$(ls "$dir"/mom_*.deb)" Architecture)" = "$(dpkg --print-architecture)" ]; then
	"$unpacked/usr/bin/mom" --version
fi
if command -v systemd-analyze >/dev/null; then
	mkdir "$unpacked/units" # as the package has them, with the program where it was unpacked
	for unit in "$unpacked"/lib/systemd/system/*.service; do
		sed "s,=/usr/bin/mom ,=$unpacked/usr/bin/mom ," "$unit" > "$unpacked/units/$(basename "$unit")"
	done
	said=$(systemd-analyze verify --man=no "$unpacked"/units/*.service 2>&1) || { echo "$said" >&2; exit 1; }
	if grep "$unpacked" <<< "$said" >&2; then # of words it does not know it only warns
		exit 1
	fi
fi
if command -v logrotate >/dev/null; then
	logrotate -d -s /dev/null "$unpacked/etc/logrotate.d/mom" >/dev/null
fi
echo 'the packages hold what they should'
