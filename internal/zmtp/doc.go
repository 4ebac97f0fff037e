// Package zmtp holds the four ZeroMQ sockets a control plane needs, built for
// peers that nobody has authenticated yet: ROUTER and PUB for a master, REQ and
// SUB for whoever speaks to one.
//
// The ZMTP 3 wire code is that of github.com/go-zeromq/zmq4 (Open and Conn); its
// socket types are not used. Around each connection stands a guard, which looks
// at every frame header before any memory is spent on it, and an out-queue,
// which never makes a writer wait. What the package promises:
//
//   - no bytes from a peer can crash the process or make it allocate more than
//     the peer has really sent, times a small constant;
//   - a peer that is mute, slow or hostile costs others nothing: every queue has
//     a bound, every wait has a deadline, and both are counted in Stats;
//   - a reply goes to the connection its request came from and to no other, even
//     if two peers claim one identity;
//   - libzmq peers cannot tell the difference: both forms of subscription,
//     REQ_CORRELATE envelopes, heartbeats in both directions, topics, reconnects.
//
// Identity is what a peer claims to be. It is a label for logs, never a reason
// to trust.
package zmtp
