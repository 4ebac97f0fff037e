package zmtp

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// converse lets a peer do the handshake and send the given bytes. It returns the messages
// received and the error that ended the connection.
func converse(t testing.TB, c *script, lim Limits, trusted bool) (*Peer, [][]string, error) {
	t.Helper()
	lim = lim.withDefaults()
	b := new(budgets)
	b.open(&lim)
	p, err := handshake(c, &lim, b, ready{socketType: "ROUTER"}, true)
	if err != nil {
		t.Fatalf("handshake: %v", err)
	}
	p.out.gauge = new(gauges)
	p.out.maxBytes, p.out.maxItems = 1<<20, 100
	if trusted {
		p.Trust()
	}
	var got [][]string
	for {
		frames, err := p.recv()
		if err != nil {
			p.out.done.Wait()
			p.close(err)
			return p, got, err
		}
		m := make([]string, len(frames))
		for i, f := range frames {
			m[i] = string(f)
		}
		got = append(got, m)
	}
}

func open(parts ...[]byte) [][]byte {
	return append([][]byte{greeting(1), readyFrame("DEALER", "x")}, parts...)
}

func TestGuard(t *testing.T) {
	small := Limits{MaxFrame: 100 << 10, MaxFrameUntrusted: 20 << 10, MaxFrames: 3, UntrustedBytes: 30 << 10, RequestBytes: 30 << 10}
	big := strings.Repeat("b", 20<<10)
	long := func(flags byte, size ...byte) []byte { return append([]byte{flags | flagLong}, size...) }
	for _, c := range []struct {
		name    string
		bytes   []byte
		trusted bool
		want    [][]string
		err     error
	}{
		{"one", message("", "a"), false, [][]string{{"", "a"}}, io.EOF},
		{"two", append(message("a"), message("b", "c")...), false, [][]string{{"a"}, {"b", "c"}}, io.EOF},
		{"long form", long(0, 0, 0, 0, 0, 0, 0, 0, 1, 'z'), false, [][]string{{"z"}}, io.EOF},
		{"at the limit", message(big), false, [][]string{{big}}, io.EOF},
		{"over the limit", message(big + "b"), false, nil, ErrFrameSize},
		{"over it but trusted", message(big + "b"), true, [][]string{{big + "b"}}, io.EOF},
		{"sum over the limit", message(big, big), false, nil, ErrFrameSize},
		{"one after the other", append(message(big), message(big)...), false, [][]string{{big}, {big}}, io.EOF},
		{"the same of a trusted peer", append(message(big), message(big)...), true, [][]string{{big}, {big}}, io.EOF},
		{"2^32", long(0, 0, 0, 0, 1, 0, 0, 0, 0), true, nil, ErrFrameSize},
		{"2^40", long(0, 0, 0, 1, 0, 0, 0, 0, 0), true, nil, ErrFrameSize},
		{"2^63-1", long(0, 0x7f, 255, 255, 255, 255, 255, 255, 255), true, nil, ErrFrameSize},
		{"2^64-1", long(0, 255, 255, 255, 255, 255, 255, 255, 255), true, nil, ErrFrame},
		{"as many frames as allowed", message("1", "2", "3"), false, [][]string{{"1", "2", "3"}}, io.EOF},
		{"one more", message("1", "2", "3", "4"), false, nil, ErrFrameCount},
		{"reserved flag", []byte{0x10, 0}, false, nil, ErrFrame},
		{"command with more", []byte{flagCommand | flagMore, 0}, false, nil, ErrFrame},
		{"empty command", []byte{flagCommand, 0}, false, nil, ErrFrame},
		{"command cut short", []byte{flagCommand, 2, 5, 'P'}, false, nil, ErrFrame},
		{"command too long", long(flagCommand, 0, 0, 0, 0, 0, 0, 0x10, 1), true, nil, ErrFrameSize},
		{"unknown command", append(appendCommand(nil, "WHAT", []byte("?")), message("a")...), false, [][]string{{"a"}}, io.EOF},
		{"command inside a message", append(append(appendFrame(nil, 1, nil), pingWire(0)...), message("a")...), false, [][]string{{"", "a"}}, io.EOF},
		{"second READY", append(readyFrame("REQ", "y"), message("a")...), false, [][]string{{"a"}}, io.EOF},
		{"ERROR", appendCommand(nil, "ERROR", []byte("\x03why")), false, nil, ErrPeerRefused},
		{"bad PING", appendCommand(nil, "PING", []byte{0}), false, nil, ErrFrame},
		{"ends in a header", []byte{2, 0, 0}, false, nil, io.ErrUnexpectedEOF},
		{"ends in a body", []byte{0, 9, 'a'}, false, nil, io.ErrUnexpectedEOF},
		{"ends in a large body", message(big)[:9<<10], false, nil, io.ErrUnexpectedEOF},
	} {
		for _, step := range []int{1, 3, 1 << 20} {
			conn := newScript(step, open(c.bytes)...)
			_, got, err := converse(t, conn, small, c.trusted)
			// If a stream ends between two reads, zmq4 may return plain EOF.
			if !errors.Is(err, c.err) && !(c.err == io.ErrUnexpectedEOF && errors.Is(err, io.EOF)) {
				t.Errorf("%s, %d at a time: error %v, want %v", c.name, step, err, c.err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s, %d at a time: %.300s", c.name, step, diff)
			}
			if conn.most > 128<<10 {
				t.Errorf("%s: read into a buffer of %d bytes", c.name, conn.most)
			}
		}
	}
}

func TestGuardBeforeReady(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes []byte
		err   error
	}{
		{"message", message("a"), ErrFrame},
		{"PING", pingWire(0), ErrReady},
		{"ERROR", appendCommand(nil, "ERROR", []byte("\x03why")), ErrPeerRefused},
		{"READY with more", []byte{flagCommand | flagMore, 6, 5, 'R', 'E', 'A', 'D', 'Y'}, ErrFrame},
		{"READY of 5 KiB", appendCommand(nil, "READY", make([]byte, 5<<10)), ErrFrameSize},
		{"READY of 2^36", []byte{flagCommand | flagLong, 0, 0, 0, 16, 0, 0, 0, 0}, ErrFrameSize},
		{"what kills zmq4", appendCommand(nil, "READY", []byte("\x05a")), ErrReady},
		{"nothing", nil, io.EOF},
	} {
		_, err := handshake(newScript(2, greeting(1), c.bytes), limitsForTest(), nil, ready{socketType: "ROUTER"}, true)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.err)
		}
	}
}

func TestGuardAnswersPing(t *testing.T) {
	c := newScript(1, open(appendCommand(nil, "PING", []byte("\x00\x05context")))...)
	p, _, _ := converse(t, c, Limits{}, false)
	if want := appendCommand(nil, "PONG", []byte("context")); !bytes.HasSuffix(c.out.Bytes(), want) {
		t.Errorf("sent %q, want %q at the end", c.out.Bytes(), want)
	}
	if ttl := p.pulse.ttl.Load(); ttl != 5e8 {
		t.Errorf("time-to-live %d", ttl)
	}
}

func TestGuardReturnsItsCharge(t *testing.T) {
	c := newScript(1<<20, open(message("", strings.Repeat("x", 50<<10)))...)
	p, _, _ := converse(t, c, Limits{}, false)
	if used := p.guard.budgets.strangers.held(); used != 0 { // recv has checked for the next one
		t.Errorf("budget holds %d", used)
	}
}

func FuzzGuard(f *testing.F) {
	f.Add(message("", "a"), false)
	f.Add(message("id", "", strings.Repeat("b", 10<<10)), true)
	f.Add(append(append(appendFrame(nil, 1, nil), pingWire(0)...), message("a")...), false)
	f.Add([]byte{2, 0, 0, 1, 0, 0, 0, 0, 0}, true)
	f.Add([]byte{flagCommand, 2, 5, 'P'}, false)
	f.Fuzz(func(t *testing.T, b []byte, trusted bool) {
		lim := Limits{MaxFrame: 64 << 10, MaxFrameUntrusted: 32 << 10, UntrustedBytes: 64 << 10}
		whole := newScript(1<<20, open(b)...)
		_, got, _ := converse(t, whole, lim, trusted)
		size := 0
		for _, m := range got {
			for _, f := range m {
				size += len(f)
			}
		}
		if size > len(b) {
			t.Fatalf("%d bytes out of %d", size, len(b))
		}
		if whole.most > 64<<10 {
			t.Fatalf("read into %d bytes", whole.most)
		}
		if len(b) < 1000 {
			_, slowly, _ := converse(t, newScript(1, open(b)...), lim, trusted)
			if diff := cmp.Diff(got, slowly); diff != "" {
				t.Fatalf("byte by byte it reads otherwise: %s", diff)
			}
		}
	})
}
