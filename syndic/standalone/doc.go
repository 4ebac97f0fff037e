// Package standalone lets the forwarder stand beside a master that is not part of
// this process, such as Salt's own.
//
// A [Local] reads that master's event bus through its sockets, as salt-syndic
// does, and keeps an embedded store of its own: every return that is seen on the
// bus is committed there together with a row of the outbox, and the forwarder
// takes it from there. So what a syndic of Salt loses while the masters above
// are away or while it is restarted itself is kept. What cannot be kept is what
// passes the bus while this process does not run: that master does not wait for
// a reader before it acknowledges a return.
package standalone
