package listener

import "testing"

// The heads are found however the bytes are cut into pieces.
func TestHeadScanner_Pieces(t *testing.T) {
	text := "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\n0123456789GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
	for size := 1; size <= len(text); size++ {
		var s headScanner
		for at := 0; at < len(text)-3; at += size {
			s.feed([]byte(text[at:min(at+size, len(text)-3)]))
		}
		if s.bad.Load() {
			t.Fatalf("pieces of %d: refused before the head has ended", size)
		}
		if s.feed([]byte(text[len(text)-3:])); !s.bad.Load() {
			t.Fatalf("pieces of %d: not refused", size)
		}
	}
}
