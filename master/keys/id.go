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

// ValidID returns why a text is not a valid minion id, or nil. An id becomes a file name in a key
// folder. Like Salt, it rejects path separators of any system, NUL, "." and "..". It also rejects a
// leading dot, since such files are not listed and could never be accepted; control characters,
// which could control the terminal that lists them; and what is not UTF-8 or too long for a file
// name.
func ValidID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: empty", ErrBadID)
	case len(id) > MaxIDBytes:
		return fmt.Errorf("%w: %d bytes, at most %d", ErrBadID, len(id), MaxIDBytes)
	//mutant:cve2017-12791-id-is-no-path
	case id[0] == '.':
		return fmt.Errorf("%w %q: starts with a dot", ErrBadID, id)
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

// maxPubBytes bounds the text of a minion's public key. The largest supported key, of 16384 bits,
// takes 2.9 kB.
const maxPubBytes = 16 << 10
