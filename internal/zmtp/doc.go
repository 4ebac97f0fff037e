// Package zmtp implements the four ZeroMQ sockets of a control plane for peers that are not
// authenticated yet: ROUTER and PUB for a master, REQ and SUB for its clients.
//
// It uses the ZMTP 3 wire code of github.com/go-zeromq/zmq4 (Open and Conn), but not its socket
// types. Each connection has a guard, which checks every frame header before any memory is
// allocated for the frame, and an out-queue, which never blocks a writer. The package
// guarantees:
//
//   - no bytes from a peer can crash the process or make it allocate more than
//     the peer has really sent, times a small constant;
//   - a peer that is mute, slow or hostile costs others nothing: every queue has
//     a bound, every wait has a deadline, and both are counted in Stats;
//   - a reply goes to the connection its request came from and to no other, even
//     if two peers claim one identity;
//   - libzmq peers notice no difference: both forms of subscription,
//     REQ_CORRELATE envelopes, heartbeats in both directions, topics, reconnects.
//
// Identity is what a peer claims to be. It is a label for logs, never a reason
// to trust.
package zmtp
