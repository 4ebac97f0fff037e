package peer

// fillFunc reads into what room gives, and calls idle before it waits: then what
// room gave is not used any more.
type fillFunc func(room func() []byte, idle func()) (int, error)

// plainReader is for connections that are no descriptors, such as those of tests.
func plainReader(c stream) fillFunc {
	return func(room func() []byte, _ func()) (int, error) { return c.Read(room()) }
}
