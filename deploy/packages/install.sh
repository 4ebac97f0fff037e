#!/bin/bash
# Installs and removes the Debian packages that `make packages` has built, as dpkg does it, in an overlay over this
# machine's files that goes away at the end, and has systemd verify the installed units.
#   deploy/packages/install.sh FOLDER
# Needs dpkg, systemd-analyze and unshare, and root or user namespaces.
set -euo pipefail
if [ "${2:-}" != inside ]; then
	for tool in dpkg systemd-analyze unshare; do
		command -v $tool >/dev/null || { echo "deploy/packages/install.sh: there is no $tool" >&2; exit 1; }
	done
	unshare=(unshare --mount)
	[ "$(id -u)" = 0 ] || unshare+=(--map-root-user)
	exec "${unshare[@]}" "$0" "$1" inside
fi

work=$(mktemp -d)
trap 'umount -R "$work" 2>/dev/null; rm -rf "$work"' EXIT
mount -t tmpfs none "$work" # what is written, so that the overlay lies on no other overlay
mkdir "$work"/{upper,work,root}
mount -t overlay none -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" "$work/root"
mkdir -p "$work/root/run" "$work/root/debs"
mount -t tmpfs none "$work/root/run" # the packages' scripts find no systemd that runs
mount -t proc none "$work/root/proc" 2>/dev/null || mount --rbind /proc "$work/root/proc"
cp "$1"/*.deb "$work/root/debs"

chroot "$work/root" /bin/bash -euo pipefail -s <<'EOF'
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
if command -v salt-master >/dev/null || [ -e /usr/bin/mom ]; then
	dpkg -r mom-salt mom >/dev/null 2>&1 || true # of this machine
fi
dpkg -i /debs/mom_*.deb /debs/mom-salt_*.deb >/dev/null
mom --version
for name in salt salt-key salt-run salt-call salt-cp salt-api salt-master salt-minion salt-syndic; do
	"/usr/bin/$name" --version >/dev/null
done
units=$(dpkg -L mom | grep '\.service$')
[ "$(wc -l <<< "$units")" = 4 ] || { echo "the package has these units: $units" >&2; exit 1; }
said=$(cd / && systemd-analyze verify $(basename -a $units) 2>&1) || { echo "$said" >&2; exit 1; }
if grep -E '/mom-[a-z]+\.service|mom-[a-z]+\.service:' <<< "$said" >&2; then # of words it does not know it only warns
	exit 1
fi
dpkg -r mom-salt mom >/dev/null
for left in /usr/bin/mom /usr/bin/salt $units; do
	[ ! -e "$left" ] || { echo "$left is left after the removal" >&2; exit 1; }
done
EOF
echo 'the packages can be installed and removed, and their units are good'
