package terminal

import (
	"bytes"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// Guard is a writer that makes terminal sequences harmless. Create it with [NewGuard]. It is
// safe for concurrent use.
type Guard struct {
	mu   sync.Mutex
	w    io.Writer
	tail []byte // the beginning of an incomplete character
	more []string
}

// Allow makes w, if it is a Guard, pass sequences that the operator has chosen as colours. They
// must only set colours: any text from a peer can contain them, too.
func Allow(w any, sequences ...string) {
	if g, ok := w.(*Guard); ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.more = append(g.more, sequences...)
	}
}

// NewGuard returns a Guard that writes to w.
func NewGuard(w io.Writer) *Guard { return &Guard{w: w} }

// Write writes p with a [Mark] for each character that a terminal would execute, except for the
// colours of this program. The count is that of p.
func (g *Guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	text := p
	if len(g.tail) > 0 {
		text = append(g.tail, p...)
		g.tail = nil
	}
	if n := cutRune(text); n > 0 {
		g.tail = bytes.Clone(text[len(text)-n:])
		text = text[:len(text)-n]
	}
	if _, err := g.w.Write(g.guarded(text)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the rest of a character that was never completed.
func (g *Guard) Flush() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	rest := g.guarded(g.tail)
	g.tail = nil
	if len(rest) == 0 {
		return nil
	}
	_, err := g.w.Write(rest)
	return err
}

// cutRune returns the number of bytes at the end of p that begin an incomplete character.
func cutRune(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(p[len(p)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func (g *Guard) guarded(p []byte) []byte {
	if !suspicious(p) {
		return p
	}
	out := make([]byte, 0, len(p)+8)
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case r == '\x1b':
			if m := max(color(p), g.allowed(p)); m > 0 {
				out = append(out, p[:m]...)
				n = m
			} else {
				out = append(out, Mark)
			}
		case Obeyed(r):
			out = append(out, Mark)
		default:
			out = utf8.AppendRune(out, r) // U+FFFD for invalid UTF-8
		}
		p = p[n:]
	}
	return out
}

// allowed returns the length of the sequence at the start of p if [Allow] permits it, otherwise
// 0.
func (g *Guard) allowed(p []byte) int {
	for _, s := range g.more {
		if bytes.HasPrefix(p, []byte(s)) {
			return len(s)
		}
	}
	return 0
}

func suspicious(p []byte) bool {
	for _, c := range p {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return true
		}
	}
	return false
}

// color returns the length of the sequence at the start of p if it sets or resets one of the
// colours of this program, otherwise 0. A foreign text that was not passed through [Text] can
// only change its colour: it cannot hide, move or type anything.
func color(p []byte) int {
	const longest = len("\x1b[0;1;31m")
	end := bytes.IndexByte(p[:min(len(p), longest)], 'm')
	if end < 0 || !bytes.HasPrefix(p, []byte("\x1b[")) {
		return 0
	}
	bold, isBold := bytes.CutPrefix(bytes.TrimPrefix(p[2:end], []byte("0;")), []byte("1;"))
	switch {
	case string(bold) == "0", len(bold) == 2 && bold[0] == '3' && bold[1] >= '1' && bold[1] <= '7':
		return end + 1
	case string(bold) == "30" && isBold: // grey; plain black would hide
		return end + 1
	}
	return 0
}

// File returns the file behind w, with or without a guard; nil if w is not a file.
func File(w any) *os.File {
	if g, ok := w.(*Guard); ok {
		w = g.w
	}
	f, _ := w.(*os.File)
	return f
}

// Width returns the columns of a terminal; 80 if unknown.
func Width(f *os.File) int {
	if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
		return columns
	}
	return 80
}

// Is reports whether w (or a reader, for an input) is a terminal.
func Is(w any) bool {
	f := File(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}
