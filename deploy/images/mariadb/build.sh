#!/bin/bash
# Builds the image mariadb:10.11 from Debian 12's packages, for a machine that reaches no image registry.
#
# Who reaches one needs none of this: `docker pull mariadb:10.11` gives an image that docker-compose.yml
# takes just as well (same tag, same environment variables, same data folder).
#
# Needs root, docker and debootstrap. MIRROR: a Debian mirror; TAG: the image's name; WORK: scratch folder (1 GB).
set -euo pipefail
here=$(dirname "$0")
. "$here/../rootfs.sh"

lay_out mariadb-server

# The package makes a database when it is installed; the entrypoint makes a fresh one in the volume instead.
rm -rf "$root"/var/lib/mysql/*

# Take connections from other containers and write errors to the container's log.
cat > "$root/etc/mysql/mariadb.conf.d/99-container.cnf" <<'CNF'
[mariadbd]
bind-address = 0.0.0.0
skip-name-resolve
skip-log-error
CNF

install -m 0755 "$here/entrypoint.sh" "$root/usr/local/bin/docker-entrypoint.sh"
install -d -m 0755 "$root/docker-entrypoint-initdb.d"
install -d -m 0755 -o "$(stat -c %u "$root/var/lib/mysql")" -g "$(stat -c %g "$root/var/lib/mysql")" "$root/run/mysqld"

import_image "${TAG:-mariadb:10.11}" 'MariaDB 10.11 from Debian 12 packages' \
	--change 'ENTRYPOINT ["docker-entrypoint.sh"]' \
	--change 'CMD ["mariadbd"]' \
	--change 'EXPOSE 3306' \
	--change 'VOLUME /var/lib/mysql'
