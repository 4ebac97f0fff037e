// Package network groups addresses into blocks ([Block]) and reads how full the system's table of
// tracked connections is ([ReadConntrack]).
//
// A machine that filters packets (iptables, nftables, Docker's networks) keeps a row for each
// connection, also for closed ones. A full table drops new connections, and no process sees why.
package network
