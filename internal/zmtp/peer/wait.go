package peer

// fillFunc reads into the buffer that room returns. It calls idle before it waits; that buffer
// is then not used any more.
type fillFunc func(room func() []byte, idle func()) (int, error)

// plainReader is for connections without a descriptor, such as those of tests.
func plainReader(c stream) fillFunc {
	return func(room func() []byte, _ func()) (int, error) { return c.Read(room()) }
}
