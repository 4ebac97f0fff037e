package peer

import "net"

// plainReader is for connections that are no descriptors, such as those of tests.
func plainReader(c net.Conn) fillFunc {
	return func(room func() []byte, _ func()) (int, error) { return c.Read(room()) }
}
