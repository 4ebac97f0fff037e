// Package standalone runs the forwarder beside a master that is another program, such as Salt's
// own.
//
// A [Local] reads that master's event bus through its sockets, as salt-syndic does. It commits
// every return seen there to an embedded store, together with its outbox row, and the forwarder
// sends it from there. So returns survive restarts of this process and absent parents, which Salt's
// syndic loses. Returns that pass the bus while this process is not running are lost: that master
// does not wait for a reader before it acknowledges a return.
package standalone
