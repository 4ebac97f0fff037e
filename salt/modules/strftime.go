package modules

import (
	"context"
	"strings"
	"time"

	"github.com/ncruces/go-strftime"
)

// defaultTimeFormat is that of Salt's status.time.
const defaultTimeFormat = "%A, %d. %B %Y %I:%M%p"

func statusTime(_ context.Context, c *Call) (any, error) {
	return strftime.Format(strings.TrimSpace(c.Str("format")), time.Now()), nil
}
