// Package remote is a master from afar: what package client does on the master's own
// machine by its key files and sockets, done through its REST API.
//
// A [Client] implements [client.Master], so commands do not know the difference. A job is
// started by POST / and followed by GET /jobs/JID/stream; when the connection breaks the
// stream is asked for again, and no return is lost or comes twice. Requests that start
// something carry an Idempotency-Key, so that one whose answer was lost is sent again and
// starts nothing a second time.
//
// What comes from the other side is not trusted: answers and events are bounded, each wait
// has a deadline, redirects are refused (a token would go with them), and certificates are
// verified unless [Options] say otherwise.
//
// With Salt's own API, which has no such stream, [Client.Follow] has the server wait
// (client local) and warns that it does not tell who was expected.
package remote
