package functions

import (
	"context"

	"github.com/momtree/mom/value"
)

// Template is the source of a file to be rendered.
type Template struct {
	Source []byte
	// Saltenv and Path are the origin of the source; Path is "" if it is not a salt://
	// file.
	Saltenv, Path string
	// Vars are added to grains, pillar, salt and opts.
	Vars *value.Map
	// Context and Defaults are those of the state.
	Context, Defaults *value.Map
}

// Text renders files with Jinja. Its errors have Salt's words.
type Text interface {
	Text(ctx context.Context, t Template) (string, error)
}
