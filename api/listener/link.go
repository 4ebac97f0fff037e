package listener

import (
	"context"
	"crypto/tls"
	"net"
)

// scanned is a connection of HTTP/1 whose heads are scanned as they are read.
type scanned struct {
	net.Conn
	heads headScanner
}

func (c *scanned) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.heads.feed(b[:n])
	return n, err
}

// Link connects a request to its connection.
type Link struct {
	Conn *Conn        // nil for a request without a listener, such as in a test
	head *headScanner // nil in HTTP/2, which has no such heads
}

// Ambiguous reports whether two programs may read the requests of the connection in two ways.
func (l Link) Ambiguous() bool { return l.head != nil && l.head.bad.Load() }

type linkKey struct{}

// ConnContext is the ConnContext of a [net/http.Server] for [Serve].
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	var l Link
	for {
		switch v := c.(type) {
		case *scanned:
			l.head, c = &v.heads, v.Conn
		case *tls.Conn:
			c = v.NetConn()
		case *Conn:
			l.Conn = v
			return context.WithValue(ctx, linkKey{}, l)
		default:
			return context.WithValue(ctx, linkKey{}, l)
		}
	}
}

// LinkOf returns the link in the context of a request.
func LinkOf(ctx context.Context) Link {
	l, _ := ctx.Value(linkKey{}).(Link)
	return l
}
