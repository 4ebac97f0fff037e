// Package network groups addresses into blocks ([Block]) and reads how full the system's table of
// tracked connections is ([ReadConntrack]).
//
// A machine that filters packets (iptables, nftables, Docker's networks) keeps a row for each
// connection, until two minutes after its end. A full table drops the packets of new connections,
// and only the system's log says so: connections hang for seconds and are tried again. Stock
// minions open a connection for each request, so many of them fill a table of ordinary size.
package network
