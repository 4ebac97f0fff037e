package bus

import (
	"fmt"
	"strings"
)

// checkTag refuses a tag that no frame could carry. A reader splits a frame at its first
// empty line, so a tag must neither hold two newlines nor end with one.
func checkTag(tag string) error {
	//mutant:tag-frame
	if tag == "" || strings.Contains(tag+"\n", "\n\n") {
		return fmt.Errorf("%w: %q", ErrTag, tag)
	}
	return nil
}
