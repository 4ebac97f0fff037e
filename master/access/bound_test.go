package access

import (
	"context"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/functions"
)

// bound returns a call of a function that accepts any arguments.
func bound(fun string, args []any, kwargs *wire.Map) functions.Bound {
	r := functions.NewRegistry[int]("runner")
	if strings.Count(fun, ".") == 1 && strings.Trim(fun, ".") == fun {
		r.Register(functions.Function[int]{
			Name: fun, Args: []string{"*"}, AnyKwargs: true, Doc: "Any.", Run: func(context.Context, *functions.Call[int]) (any, error) { return nil, nil },
		})
	}
	return r.Bind(functions.Request{Fun: fun, Args: args, Kwargs: kwargs})
}
