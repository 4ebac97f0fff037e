#!/bin/bash
# Prepares an empty data folder once, then becomes the server.
#
# Environment, as in the widely used image of the same tag:
#   MARIADB_ROOT_PASSWORD   password of root@localhost; without it root enters by the unix socket only, which is
#                           what MARIADB_RANDOM_ROOT_PASSWORD comes to here
#   MARIADB_DATABASE        database to make (utf8mb4)
#   MARIADB_USER            user to make, with all rights on that database
#   MARIADB_PASSWORD        that user's password
# Each NAME may be given as NAME_FILE, a file that holds the value. Files in /docker-entrypoint-initdb.d
# ending in .sql run once, in order of name, in MARIADB_DATABASE.
set -euo pipefail

data=/var/lib/mysql
socket=/run/mysqld/mysqld.sock

# setting NAME: the value of $NAME, or of the file that $NAME_FILE names
setting() {
	local file=$1_FILE
	if [ -n "${!file:-}" ]; then cat "${!file}"; else printf '%s' "${!1:-}"; fi
}

# quoted TEXT: the text as an SQL string
quoted() {
	local text=${1//\\/\\\\}
	printf "'%s'" "${text//\'/\'\'}"
}

statements() {
	local root database user password
	root=$(setting MARIADB_ROOT_PASSWORD) database=$(setting MARIADB_DATABASE)
	user=$(setting MARIADB_USER) password=$(setting MARIADB_PASSWORD)
	if [ -n "$root" ]; then
		echo "ALTER USER root@localhost IDENTIFIED VIA unix_socket OR mysql_native_password USING PASSWORD($(quoted "$root"));"
	fi
	if [ -n "$database" ]; then
		echo "CREATE DATABASE IF NOT EXISTS \`$database\` CHARACTER SET utf8mb4;"
	fi
	if [ -n "$user" ]; then
		[ -n "$password" ] || { echo "entrypoint: MARIADB_USER is set, MARIADB_PASSWORD is not" >&2; exit 1; }
		echo "CREATE USER IF NOT EXISTS $(quoted "$user")@'%' IDENTIFIED BY $(quoted "$password");"
		[ -z "$database" ] || echo "GRANT ALL ON \`$database\`.* TO $(quoted "$user")@'%';"
	fi
}

initialise() {
	echo "entrypoint: making a database in $data"
	mariadb-install-db --user=mysql --datadir="$data" --skip-test-db --auth-root-authentication-method=socket >/dev/null
	mariadbd --user=mysql --datadir="$data" --skip-networking --socket="$socket" &
	local server=$!
	until mariadb-admin --socket="$socket" --user=root ping >/dev/null 2>&1; do
		kill -0 "$server" 2>/dev/null || { echo "entrypoint: the server ended while the database was made" >&2; exit 1; }
		sleep 0.2
	done
	statements | mariadb --socket="$socket" --user=root
	local file
	for file in /docker-entrypoint-initdb.d/*.sql; do
		[ -e "$file" ] || continue
		echo "entrypoint: running $file"
		mariadb --socket="$socket" --user=root --database="$(setting MARIADB_DATABASE)" < "$file"
	done
	mariadb-admin --socket="$socket" --user=root shutdown
	wait "$server"
}

if [ "${1:-}" = mariadbd ]; then
	install -d -o mysql -g mysql "$(dirname "$socket")"
	chown mysql:mysql "$data"
	# A folder left half made by a kill is made again; a database that is there is used as it is.
	if [ ! -d "$data/mysql" ] || [ -e "$data/.initialising" ]; then
		touch "$data/.initialising"
		find "$data" -mindepth 1 ! -name .initialising -delete
		initialise
		rm "$data/.initialising"
	fi
	exec "$@" --user=mysql --datadir="$data" --socket="$socket"
fi
exec "$@"
