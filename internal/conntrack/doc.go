// Package conntrack reads how full the system's table of tracked connections is.
//
// A machine that filters packets (iptables, nftables, Docker's networks) keeps a row for
// each connection, until two minutes after its end. When the table is full it drops the
// packets of new connections, and says so in its own log alone: connections hang for
// seconds and are tried again. Stock minions open a connection for each request, so a
// large herd of them fills a table of ordinary size.
package conntrack
