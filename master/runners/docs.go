package runners

import (
	"context"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

func init() {
	register(Function{Name: "doc.runner", Run: func(context.Context, *Call) (any, error) {
		out := wire.NewMap()
		for _, name := range Names() {
			out.Set(name, functions[name].Doc)
		}
		return out, nil
	}, Doc: `
The documentation of all runner functions.

    salt-run doc.runner
`})
}

// Docs are the names of the functions that a word of the command line means,
// sorted: a function, the functions of a module, or all of them for "".
func Docs(word string) []string {
	var out []string
	for _, name := range Names() {
		if word == "" || name == word || strings.HasPrefix(name, word+".") {
			out = append(out, name)
		}
	}
	return out
}
