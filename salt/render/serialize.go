package render

import (
	"cmp"
	"context"
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/salt/pyfmt"
)

// JSONForm configures [JSON].
type JSONForm struct {
	// Indent is the number of spaces per level, 0 to 64.
	Indent int
	// SortKeys sorts the keys of maps; otherwise they keep their order.
	SortKeys bool
	// ASCII writes characters beyond ASCII as \u escapes.
	ASCII bool
}

// JSON encodes a value as json.dumps of Python does. It returns an error for values that
// JSON cannot represent.
func JSON(v any, f JSONForm) (text string, err error) {
	err = caught(func() {
		form := pyfmt.JSONForm{Lines: true, Indent: strings.Repeat(" ", min(max(f.Indent, 0), 64)), SortKeys: f.SortKeys, ASCII: f.ASCII}
		r := jinja.Detached(context.Background(), jinja.DefaultLimits(), "")
		text = dumpJSON(r, r.Take(v), form)
	})
	return text, err
}

// LoadJSON parses JSON; maps keep the order of their keys.
func LoadJSON(text string) (any, error) {
	var out any
	var err error
	thrown := caught(func() {
		r := jinja.Detached(context.Background(), jinja.DefaultLimits(), "")
		var v any
		if v, err = loadJSON(r, text); err == nil {
			out, err = r.Give(v)
		}
	})
	return out, cmp.Or(thrown, err)
}

// caught returns what fn throws as an error.
func caught(fn func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *jinja.Error:
			err = p
		default:
			panic(p)
		}
	}()
	fn()
	return nil
}
