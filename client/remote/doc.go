// Package remote implements package client over a master's REST API.
//
// A [Client] implements [client.Master], so commands work with either. A job is started by
// POST / and followed by GET /jobs/JID/stream. A broken stream is reopened, and no return is
// lost or repeated. Requests that start something carry an Idempotency-Key, so a request whose
// response was lost is retried without a second start.
//
// The server is not trusted: responses and events are bounded, each wait has a deadline,
// redirects are refused because they would forward the token, and certificates are verified
// unless [Options] disable it.
//
// Salt's own API has no such stream. [Client.Follow] then lets the server wait (client local)
// and warns that expected minions are not known.
package remote
