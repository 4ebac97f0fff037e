// Package forwarding decides how the returns in a node's outbox get to the master
// above: which rows make a batch, what an answer means, which rows are removed,
// sent again, or set aside, and when it is time to send.
//
// It holds no goroutine, timer or connection. Whoever drives it brings the parent
// ([Parent]), the outbox and the waits: the forwarder of a syndic with sockets and
// a real clock, the simulator with a network and a clock of its own. So what is
// simulated is what runs.
package forwarding
