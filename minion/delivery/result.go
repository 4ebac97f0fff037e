package delivery

import (
	"fmt"

	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
)

// Result is the outcome of a job. For several functions the fields are maps by function, or
// lists with multifunc_ordered (Salt wire reference §9.1).
type Result struct {
	Value, Retcode, Success any
	Out                     string
	// Trace is the OpenTelemetry trace that the return carries to the master; empty if none.
	Trace tracing.Carrier
}

// Failure returns the result of a job that was not run.
func Failure(p wire.Publication, text string) Result {
	names, err := Functions(p.Fun)
	if err != nil || len(names) < 2 {
		return Result{Value: text, Retcode: 1, Success: false, Out: "nested"}
	}
	r := Result{Out: "nested"}
	values, codes, oks := wire.NewMap(), wire.NewMap(), wire.NewMap()
	for _, n := range names {
		values.Set(n, text)
		codes.Set(n, 1)
		oks.Set(n, false)
	}
	r.Value, r.Retcode, r.Success = values, codes, oks
	return r
}

// Functions decodes the field fun: a name, or a list of names.
func Functions(fun wire.Raw) ([]string, error) {
	v, err := wire.Decode(fun)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return []string{v}, nil
	case []any:
		names := make([]string, len(v))
		for i, x := range v {
			name, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("function %d is not a text", i+1)
			}
			names[i] = name
		}
		return names, nil
	default:
		return nil, fmt.Errorf("fun is a %T, not a name or a list of names", v)
	}
}
