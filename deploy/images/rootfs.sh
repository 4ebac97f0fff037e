# Sourced by each build.sh beside it: a file system from Debian 12's packages, and an image made of that.
#
# Needs root, docker and debootstrap. MIRROR: a Debian mirror (default: that of debootstrap); WORK: scratch folder (1 GB).

# lay_out PACKAGES: installs a minimal Debian 12 with these packages (a,b,c) into the folder $root, which goes with the shell
lay_out() {
	[ "$(id -u)" = 0 ] || { echo "build.sh: debootstrap needs root: run it with sudo" >&2; exit 1; }
	command -v docker >/dev/null || { echo "build.sh: docker is not installed" >&2; exit 1; }
	command -v debootstrap >/dev/null || { apt-get update -q && apt-get install -y -q debootstrap; }

	work=${WORK:-$(mktemp -d)}
	root=$work/root
	trap 'rm -rf "$root"; [ -n "${WORK:-}" ] || rmdir "$work"' EXIT
	debootstrap --variant=minbase --include="$1" bookworm "$root" ${MIRROR:+"$MIRROR"}
	rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/var/log/*.log \
	       "$root"/usr/share/doc/* "$root"/usr/share/man/* "$root"/usr/share/locale/*
}

# import_image TAG MESSAGE OPTION...: makes the image TAG of $root; OPTIONs are those of docker import
import_image() {
	tar -C "$root" --numeric-owner -c . | docker import \
		--change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
		--message "$2" "${@:3}" - "$1"
}
