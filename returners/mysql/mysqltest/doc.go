// Package mysqltest runs a private MariaDB for tests: in its own directory, as the current
// user, on a socket and a free port of 127.0.0.1. It is removed after the test. Without the
// programs mariadbd and mariadb-install-db the test fails with a clear message.
package mysqltest
