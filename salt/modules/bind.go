package modules

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// kwargMarker is the key that marks a map in an arg list as keywords.
const kwargMarker = "__kwarg__"

// pubPrefix begins the names of publication fields that Salt adds to the keywords of a
// function. They are not arguments of the caller, so they are dropped.
const pubPrefix = "__pub_"

// textKwarg is "name=value" in a string argument, which some callers of the REST API send
// unchanged.
var textKwarg = regexp.MustCompile(`^([^\d\W][\w.-]*)=([^=\n][^\n]*)?$`)

// Bind binds an arg list to a function. Errors have Python's words: an [InvocationError]
// for unknown keywords, an [ArgumentError] otherwise.
func Bind(full string, fn Function, args []any) (*Call, error) {
	positional, named, err := sortArgs(fn, args)
	if err != nil {
		return nil, err
	}
	if err := checkKeywords(full, fn, named); err != nil {
		return nil, err
	}
	c := &Call{Fun: full, Kwargs: value.NewMap(), fn: fn}
	given := make([]bool, len(fn.Args))
	c.Args = make([]any, len(fn.Args), max(len(fn.Args), len(positional)))
	for i, a := range fn.Args {
		v, isNamed := named.Get(a.Name)
		switch {
		case i < len(positional) && isNamed:
			return nil, argErrorf("%s() got multiple values for argument '%s'", fn.Name, a.Name)
		case i < len(positional):
			c.Args[i], given[i] = positional[i], true
		case isNamed:
			c.Args[i], given[i] = v, true
		default:
			c.Args[i] = a.Default
		}
	}
	if len(positional) > len(fn.Args) {
		if !fn.VarArgs {
			return nil, tooMany(fn, len(positional))
		}
		c.Args = append(c.Args, positional[len(fn.Args):]...)
	}
	if err := missing(fn, given); err != nil {
		return nil, err
	}
	named.Range(func(k, v any) bool {
		if name := k.(string); !fn.has(name) {
			c.Kwargs.Set(name, v)
		}
		return true
	})
	return c, nil
}

// sortArgs splits an arg list into positional values and keywords. A string of the form
// name=value is a keyword only if the function knows the name, so that a command line such
// as "A=1 env" stays a value.
func sortArgs(fn Function, args []any) ([]any, *value.Map, error) {
	var positional []any
	named := value.NewMap()
	for _, a := range args {
		switch a := a.(type) {
		case *value.Map:
			if a == nil || !a.Bool(kwargMarker) {
				break
			}
			var bad any
			a.Range(func(k, v any) bool {
				name, ok := k.(string)
				if !ok {
					bad = k
					return false
				}
				if name != kwargMarker && !strings.HasPrefix(name, pubPrefix) {
					named.Set(name, v)
				}
				return true
			})
			if bad != nil {
				return nil, nil, argErrorf("keywords must be strings, not %s", PyRepr(bad))
			}
			continue
		case string:
			if m := textKwarg.FindStringSubmatch(a); m != nil && (fn.VarKw || fn.has(m[1])) {
				if !strings.HasPrefix(m[1], pubPrefix) {
					named.Set(m[1], pyfmt.YAMLWord(m[2]))
				}
				continue
			}
		}
		positional = append(positional, a)
	}
	return positional, named, nil
}

func (fn Function) has(arg string) bool {
	for _, a := range fn.Args {
		if a.Name == arg {
			return true
		}
	}
	return false
}

func checkKeywords(full string, fn Function, named *value.Map) error {
	if fn.VarKw {
		return nil
	}
	var bad []string
	named.Range(func(k, v any) bool {
		if name := k.(string); !fn.has(name) && !ignored(full, fn, name) {
			bad = append(bad, name+"="+PyStr(v))
		}
		return true
	})
	if len(bad) == 0 {
		return nil
	}
	return InvocationErrorf("The following keyword arguments are not valid: %s", strings.Join(bad, ", "))
}

func tooMany(fn Function, given int) error {
	required := 0
	for _, a := range fn.Args {
		if a.Required {
			required++
		}
	}
	takes := fmt.Sprintf("%d positional argument%s", len(fn.Args), plural(len(fn.Args)))
	if required < len(fn.Args) {
		takes = fmt.Sprintf("from %d to %d positional arguments", required, len(fn.Args))
	}
	was := "were"
	if given == 1 {
		was = "was"
	}
	return argErrorf("%s() takes %s but %d %s given", fn.Name, takes, given, was)
}

func missing(fn Function, given []bool) error {
	var names []string
	for i, a := range fn.Args {
		if a.Required && !given[i] {
			names = append(names, "'"+a.Name+"'")
		}
	}
	var list string
	switch n := len(names); n {
	case 0:
		return nil
	case 1:
		list = names[0]
	case 2:
		list = names[0] + " and " + names[1]
	default:
		list = strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
	return argErrorf("%s() missing %d required positional argument%s: %s",
		fn.Name, len(names), plural(len(names)), list)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
