package bus

import (
	"fmt"
	"strings"
)

// checkTag rejects a tag that cannot be sent in a frame. A reader splits a frame at its first
// empty line, so a tag must neither contain two newlines nor end with one.
func checkTag(tag string) error {
	//mutant:tag-frame
	if tag == "" || strings.Contains(tag+"\n", "\n\n") {
		return fmt.Errorf("%w: %q", ErrTag, tag)
	}
	return nil
}
