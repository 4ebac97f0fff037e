package functions

import (
	"context"

	"github.com/momtree/mom/value"
)

// Template is the source of a file to be rendered.
type Template struct {
	Source []byte
	// Saltenv and Path are where it comes from; Path is "" for what is no salt:// file.
	Saltenv, Path string
	// Vars are laid beside grains, pillar, salt and opts.
	Vars *value.Map
	// Context and Defaults are those of the state.
	Context, Defaults *value.Map
}

// Text renders files with Jinja. Its errors are worded as Salt words them.
type Text interface {
	Text(ctx context.Context, t Template) (string, error)
}
