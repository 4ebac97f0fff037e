package bus

import (
	"fmt"
	"strings"
)

// checkTag refuses a tag that no frame could carry: the tag ends with an empty line.
func checkTag(tag string) error {
	if tag == "" || strings.Contains(tag, "\n\n") {
		return fmt.Errorf("%w: %q", ErrTag, tag)
	}
	return nil
}
