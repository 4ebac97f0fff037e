package access

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/internal/callargs"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/functions"
)

const (
	// kwargMark is the key that marks a map in an argument list as keyword arguments.
	kwargMark = "__kwarg__"
	// pubPrefix is the prefix of keywords by which minions pass fields of the publication to
	// functions: minions of mom drop such arguments, Salt's replace some.
	pubPrefix = "__pub_"
)

// Call is one function of a job with its positional and keyword arguments. The master does not know
// the parameters of a minion's function, so it cannot match a position with a name.
type Call struct {
	Fun    string
	Args   []any
	Kwargs *wire.Map // nil: none

	// fault is why the arguments are ambiguous, or nil.
	fault error
}

// Calls returns the functions of a publish load with their arguments.
func Calls(p wire.PublishLoad) ([]Call, error) {
	fun, err := wire.Decode(p.Fun)
	if err != nil {
		return nil, fmt.Errorf("fun: %w", err)
	}
	var arg any
	if len(p.Arg) > 0 {
		if arg, err = wire.Decode(p.Arg); err != nil {
			return nil, fmt.Errorf("arg: %w", err)
		}
	}
	args, isList := arg.([]any)
	switch fun := fun.(type) {
	case string:
		return []Call{listed(fun, arg)}, nil
	case []any:
		out := make([]Call, 0, len(fun))
		for i, f := range fun {
			name, ok := f.(string)
			if !ok {
				return nil, fmt.Errorf("fun: entry %d is not a string", i+1)
			}
			var own any
			if i < len(args) {
				own = args[i]
			}
			c := listed(name, own)
			if c.fault == nil && (!isList && arg != nil || len(args) > len(fun)) {
				c.fault = errors.New("arg is not one list of arguments for each function")
			}
			out = append(out, c)
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, errors.New("fun: neither a function nor a list of them")
}

// listed is newCall for arguments that may not be a list: minions read the keys of a map, or the
// letters of a text, as arguments.
func listed(fun string, arg any) Call {
	args, ok := arg.([]any)
	c := newCall(fun, args)
	if !ok && arg != nil {
		c.fault = fmt.Errorf("the arguments are %s, not a list", functions.Text(arg))
	}
	return c
}

// newCall parses an argument list. Keyword arguments are in a map with __kwarg__ at its end.
func newCall(fun string, args []any) Call {
	c := Call{Fun: fun, Args: args}
	if n := len(args); n > 0 {
		if kw, ok := args[n-1].(*wire.Map); ok && kw.Has(kwargMark) {
			c.Args, c.Kwargs = args[:n-1], kw
		}
	}
	c.fault = canonical(c)
	return c
}

// Fault returns why the arguments are ambiguous, or nil. Rules with args or kwargs refuse such a call:
// minions of mom and of Salt read maps with __kwarg__ and texts name=value in other places as
// keywords, each in its own way.
func (c Call) Fault() error { return c.fault }

// canonical returns an error for an argument list that not all minions read alike.
func canonical(c Call) error {
	for i, v := range c.Args {
		where := fmt.Sprintf("argument %d", i+1)
		if text, ok := v.(string); ok {
			//mutant:hostile-name-value,access-name-value-text
			if name, is := callargs.MayBeKeyword(text); is {
				return fmt.Errorf("%s, %q, may be read as the keyword %s", where, text, name)
			}
		}
		//mutant:hostile-map-first,access-kwarg-map-last
		if m, ok := v.(*wire.Map); ok && m.Has(kwargMark) {
			return fmt.Errorf("%s is a map with %s that is not the last argument", where, kwargMark)
		}
		if err := plain(where, v); err != nil {
			return err
		}
	}
	var fault error
	c.Kwargs.Range(func(k, v any) bool {
		switch name, ok := k.(string); {
		case !ok || !utf8.ValidString(name):
			fault = fmt.Errorf("the keyword %s is not a text", functions.Text(k))
		case name == kwargMark:
			//mutant:hostile-kwarg-mark,access-kwarg-mark-true
			if v != true {
				fault = fmt.Errorf("%s is %s, not True", kwargMark, functions.Text(v))
			}
		case strings.HasPrefix(name, pubPrefix):
			fault = fmt.Errorf("the keyword %s is reserved for minions", name)
		default:
			fault = plain("the keyword "+name, v)
		}
		return fault == nil
	})
	return fault
}

// plain returns an error for values that minions change before a function gets them: Salt's convert
// binary data to text.
func plain(where string, v any) error {
	switch v := v.(type) {
	case nil, bool, int, int64, uint64, float64:
		return nil
	case string:
		if utf8.ValidString(v) {
			return nil
		}
	case []any:
		for _, e := range v {
			if err := plain(where, e); err != nil {
				return err
			}
		}
		return nil
	case *wire.Map:
		var fault error
		v.Range(func(k, e any) bool {
			if fault = plain(where, k); fault == nil {
				fault = plain(where, e)
			}
			return fault == nil
		})
		return fault
	}
	return fmt.Errorf("%s is or holds data that is not text", where)
}

// At returns the argument for entry i of a rule's args.
func (c Call) At(i int) (functions.Judged, bool) {
	if i >= len(c.Args) {
		return functions.Judged{}, false
	}
	return functions.Judged{Texts: []string{functions.Text(c.Args[i])}}, true
}

// Named returns the argument for an entry of a rule's kwargs.
func (c Call) Named(name string) (functions.Judged, bool) {
	v, ok := c.Kwargs.Get(name)
	return functions.Judged{Name: name, Texts: []string{functions.Text(v)}}, ok
}
