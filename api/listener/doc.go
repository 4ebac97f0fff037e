// Package listener accepts the connections of an HTTP server and bounds them.
//
// A [Limiter] keeps connections of users apart from those of strangers, who have not shown a valid
// token and make room for each other. It finds heads of HTTP/1 requests that a proxy may read
// differently, and serves [Certificates] that are read again when their files change.
package listener
