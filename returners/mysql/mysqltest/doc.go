// Package mysqltest runs a private MariaDB for tests: in a folder of its own,
// as the current user, on a socket and a free port of 127.0.0.1, gone with the
// test. It needs the programs mariadbd and mariadb-install-db and fails
// plainly without them.
package mysqltest
