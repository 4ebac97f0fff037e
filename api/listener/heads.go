package listener

import (
	"bytes"
	"sync/atomic"
)

// headScanner finds request heads that two programs may read in two ways: with both
// Content-Length and Transfer-Encoding, with a folded line, or with a line that ends without a
// carriage return. net/http accepts them silently, while a proxy in front may see another request
// in the same bytes. The scanner keeps only the name of a field and a length.
type headScanner struct {
	bad atomic.Bool // a head on this connection was ambiguous

	state   scanState
	line    int // bytes of the line so far
	cr      bool
	name    [maxFieldName]byte
	named   int // bytes of the name so far; -1: a name that does not matter
	field   fieldKind
	digits  bool // the length has digits and nothing else
	length  int64
	lengths int // fields Content-Length, and Transfer-Encoding
	codings int
	left    int64 // bytes of the body still to come
}

type scanState int

const (
	betweenHeads scanState = iota // line ends before a request are skipped
	requestLine
	fieldName
	fieldValue
	inBody
	blind // a body in chunks: the connection ends with its request
)

type fieldKind int

const (
	otherField fieldKind = iota
	lengthField
	codingField
)

// maxFieldName is the length of the longest name that matters.
const maxFieldName = len("transfer-encoding")

// maxLength is above the size of any body.
const maxLength = 1 << 50

// feed scans the bytes that were read.
func (s *headScanner) feed(b []byte) {
	for len(b) > 0 && s.state != blind {
		if s.state == inBody {
			n := min(s.left, int64(len(b)))
			if b, s.left = b[n:], s.left-n; s.left == 0 {
				s.state = betweenHeads
			}
			continue
		}
		s.scan(b[0])
		b = b[1:]
	}
}

// scan scans a byte of a head.
func (s *headScanner) scan(c byte) {
	if s.state == betweenHeads {
		if c == '\r' || c == '\n' {
			return
		}
		s.state, s.line, s.cr, s.lengths, s.codings = requestLine, 0, false, 0, 0
	}
	if c == '\n' {
		if !s.cr {
			s.bad.Store(true)
		}
		s.endLine()
		return
	}
	s.cr = c == '\r'
	if s.cr {
		return
	}
	s.line++
	switch s.state {
	case fieldName:
		if s.line == 1 {
			s.named, s.field = 0, otherField
			if c == ' ' || c == '\t' { // a continuation of the previous line
				s.bad.Store(true)
			}
		}
		if c == ':' {
			s.beginValue()
			return
		}
		if s.named >= 0 && s.named < maxFieldName {
			s.name[s.named] = c
			s.named++
		} else {
			s.named = -1
		}
	case fieldValue:
		if s.field == lengthField {
			s.digit(c)
		}
	}
}

func (s *headScanner) beginValue() {
	s.state = fieldValue
	if s.named < 0 {
		return
	}
	switch name := s.name[:s.named]; {
	case bytes.EqualFold(name, []byte("content-length")):
		s.field, s.length, s.digits = lengthField, 0, true
		s.lengths++
	case bytes.EqualFold(name, []byte("transfer-encoding")):
		s.field = codingField
		s.codings++
	}
}

// digit scans a byte of a length.
func (s *headScanner) digit(c byte) {
	switch {
	case c == ' ' || c == '\t':
	case c < '0' || c > '9' || s.length > maxLength:
		s.digits = false
	default:
		s.length = 10*s.length + int64(c-'0')
	}
}

// endLine ends a line. An empty line ends the head.
func (s *headScanner) endLine() {
	empty := s.line == 0 && s.state == fieldName
	if s.state == fieldValue && s.field == lengthField && !s.digits {
		s.bad.Store(true)
	}
	s.state, s.line, s.cr = fieldName, 0, false
	if !empty {
		return
	}
	switch {
	//mutant:api-two-lengths
	case s.codings > 0 && s.lengths > 0, s.codings > 1:
		s.bad.Store(true)
		s.state = blind
	case s.codings > 0:
		s.state = blind
	case s.lengths > 0 && s.length > 0:
		s.state, s.left = inBody, s.length
	default:
		s.state = betweenHeads
	}
}
