#!/bin/bash
# Starts one server of the Galera cluster: joins the servers that run, or founds the cluster with the
# server that has the newest data. Runs before the image's own entrypoint.
#
#   galera.sh NAME SERVER...    NAME is this server's, SERVER... are all
#
# Servers that wait for each other write where their data ends to /group, a volume that all of them
# see. The one that was the last to stop, or else the one with the highest position, founds the
# cluster once all have written. To go on without a server that is lost: touch /group/without-SERVER.
set -euo pipefail

name=$1
shift
servers=("$@")
data=/var/lib/mysql
addresses=$(IFS=,; echo "${servers[*]}")
fresh=5 # seconds for which what a server has written counts

args=(
	--wsrep-on=ON --wsrep-provider=/usr/lib/galera/libgalera_smm.so --wsrep-cluster-name=salt
	--wsrep-cluster-address="gcomm://$addresses" --wsrep-node-name="$name" --wsrep-node-address="$name"
	--wsrep-sst-method=rsync --wsrep-slave-threads=2
	--binlog-format=ROW --default-storage-engine=InnoDB --innodb-autoinc-lock-mode=2
	--innodb-flush-log-at-trx-commit=1 --character-set-server=utf8mb4
	--skip-name-resolve --bind-address=0.0.0.0
)

say() { echo "galera: $*" >&2; }

# runs SERVER: whether that server takes statements
runs() {
	MYSQL_PWD=$(cat /secret/password) timeout 3 mariadb --connect-timeout=2 -h"$1" -usalt -Nse "show status like 'wsrep_ready'" 2>/dev/null |
		grep -q 'ON$'
}

# another: whether another server runs
another() {
	local s
	for s in "${servers[@]}"; do
		[ "$s" = "$name" ] || ! runs "$s" || return 0
	done
	return 1
}

# position: where the data ends, as "STOPPED SEQUENCE UUID"; STOPPED is 1 at the server that stopped last
position() {
	[ -d "$data/mysql" ] && [ ! -e "$data/.initialising" ] || { echo "0 -2 none"; return; }
	local at last=0
	at=$(mariadbd --user=mysql --datadir="$data" "${args[@]}" --skip-log-error --wsrep-recover 2>&1 | sed -n 's/.*Recovered position: *//p' | tail -1)
	grep -qs '^safe_to_bootstrap: *1' "$data/grastate.dat" && last=1
	[ -n "$at" ] || at=00000000-0000-0000-0000-000000000000:-1
	echo "$last ${at##*:} ${at%:*}"
}

# founder: the server that has to found the cluster; fails while one has written nothing
founder() {
	local s now at
	now=$(date +%s)
	for s in "${servers[@]}"; do
		[ ! -e "/group/without-$s" ] || continue
		# Who founds the cluster removes its file, between two of these lines too.
		at=$(stat -c %Y "/group/$s" 2>/dev/null) || return 1
		[ $((now - at)) -le $fresh ] || return 1
		at=$(cat "/group/$s" 2>/dev/null) || return 1
		echo "$at $s"
	done | sort -s -k1,1nr -k2,2nr | awk 'NR == 1 { print $4 }'
}

# alone: whether this server answers and is not part of a cluster
alone() {
	MYSQL_PWD=$(cat /secret/password) timeout 3 mariadb --connect-timeout=2 -h127.0.0.1 -usalt -Nse "show status like 'wsrep_cluster_status'" 2>/dev/null |
		grep -qE 'non-Primary|Disconnected'
}

# serve COMMAND...: runs the server. One that has lost the others for $lonely seconds ends, so that it
# is started again and those that are there found the cluster anew.
lonely=30
serve() {
	local server away=0
	"$@" &
	server=$!
	trap 'kill -TERM "$server"' TERM INT
	while kill -0 "$server" 2>/dev/null; do
		sleep 2 &
		wait "$!" || true
		if alone; then away=$((away + 2)); else away=0; fi
		if [ "$away" -ge "$lonely" ]; then
			say "$name has lost the others for $away s and starts again"
			kill -TERM "$server"
			away=0
		fi
	done
	wait "$server"
}

mine=$(position)
read -r _ sequence uuid <<<"$mine"
# A server with data begins where it ends: it gets what it has missed, not a whole copy.
start=()
case $uuid in
none | 00000000-*) ;;
*) start=(--wsrep-start-position="$uuid:$sequence") ;;
esac

say "$name ends at $uuid:$sequence"
until another; do
	echo "$mine" > "/group/.$name"
	mv "/group/.$name" "/group/$name"
	if who=$(founder) && [ "$who" = "$name" ]; then
		say "$name founds the cluster"
		[ ! -e "$data/grastate.dat" ] || sed -i 's/^safe_to_bootstrap:.*/safe_to_bootstrap: 1/' "$data/grastate.dat"
		rm -f "$data/gvwstate.dat" "/group/$name" /group/without-*
		serve docker-entrypoint.sh mariadbd "${args[@]}" --wsrep-new-cluster "${start[@]}"
		exit
	fi
	sleep 1
done
rm -f "/group/$name" "$data/gvwstate.dat"
say "$name joins"
serve mariadbd --user=mysql --datadir="$data" --socket=/run/mysqld/mysqld.sock "${args[@]}" "${start[@]}"
