package command

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
)

// A user without permission gets that error, not the question whether the master runs.
func TestUnasked(t *testing.T) {
	for _, c := range []struct {
		err   error
		asked bool
	}{
		{errors.New("connection refused"), true},
		{fmt.Errorf("open the bus: %w", fs.ErrPermission), false},
		{fmt.Errorf("open the bus: %w: %w", client.ErrUnreachable, fs.ErrPermission), false},
	} {
		if got := new(Frame).Unasked(c.err).Error(); strings.Contains(got, "Is master running?") != c.asked || !strings.Contains(got, c.err.Error()) {
			t.Errorf("%v: %s", c.err, got)
		}
	}
}
