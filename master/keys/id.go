package keys

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxIDBytes is the longest minion id: an id is a file name.
const MaxIDBytes = 255

// ErrBadID is wrapped by every error of [ValidID].
var ErrBadID = errors.New("invalid minion id")

// ValidID reports why a text cannot be a minion id, or nil. An id becomes a
// file name directly below a key folder, so a path separator of any system, NUL
// and the names "." and ".." are refused, as Salt does. Refused besides: a
// leading dot, for such files are passed over when keys are listed, so the key
// could never be accepted; control characters, which would rule the terminal
// that lists them; and what is no UTF-8 or too long for a file name.
func ValidID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: it is empty", ErrBadID)
	case len(id) > MaxIDBytes:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrBadID, len(id), MaxIDBytes)
	//mutant:cve2017-12791-id-is-no-path
	case id[0] == '.':
		return fmt.Errorf("%w %q: it begins with a dot", ErrBadID, id)
	case !utf8.ValidString(id):
		return fmt.Errorf("%w %q: not UTF-8", ErrBadID, id)
	}
	if i := strings.IndexFunc(id, badRune); i >= 0 {
		return fmt.Errorf("%w %q: character %q at byte %d", ErrBadID, id, []rune(id[i:])[0], i)
	}
	return nil
}

func badRune(r rune) bool {
	//mutant:cve2017-12791-id-is-no-path-2
	return r == '/' || r == '\\' || r < 0x20 || r >= 0x7F && r < 0xA0
}

// maxPubBytes bounds the text of a minion's public key. One of 16384 bits, the
// largest supported, takes 2.9 kB.
const maxPubBytes = 16 << 10
