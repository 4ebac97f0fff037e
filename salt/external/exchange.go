package external

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// Version is the version of the protocol.
const Version = 1

// maxFunctions is the most functions of one module.
const maxFunctions = 256

// Function is one function of a module, as the module describes it.
type Function struct {
	Name, Doc       string
	Args            []Arg
	VarArgs, Kwargs bool
}

// Arg is one argument of a [Function].
type Arg struct {
	Name     string
	Default  any
	Required bool
}

// Description is how a module describes itself.
type Description struct {
	Functions []Function
	// Grains and Pillar request the grains and the pillar with each call.
	Grains, Pillar bool
}

var word = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,63}$`)

// parseDescription parses the answer to "describe".
func parseDescription(out []byte) (Description, error) {
	var d Description
	m, err := answer(out)
	if err != nil {
		return d, err
	}
	functions := m.Map("functions")
	switch n := functions.Len(); {
	case n == 0:
		return d, errors.New("it describes no function: functions is a map of names")
	case n > maxFunctions:
		return d, fmt.Errorf("it describes %d functions; the limit is %d", n, maxFunctions)
	}
	for _, need := range m.Strings("needs") {
		switch need {
		case "grains":
			d.Grains = true
		case "pillar":
			d.Pillar = true
		default:
			return d, fmt.Errorf("it needs %q; use grains and pillar", need)
		}
	}
	for _, k := range functions.Keys() {
		name, _ := k.(string)
		f := functions.Map(name)
		if !word.MatchString(name) || f == nil {
			return d, fmt.Errorf("the function name %q must consist of lower-case letters, digits and _, and its description must be a map", fmt.Sprint(k))
		}
		fn := Function{Name: name, Doc: f.String("doc"), VarArgs: f.Bool("varargs"), Kwargs: f.Bool("kwargs")}
		if fn.Args, err = parseArgs(name, f.List("args")); err != nil {
			return d, err
		}
		d.Functions = append(d.Functions, fn)
	}
	return d, nil
}

// parseArgs parses the arguments of a function: names, or maps with name, default and
// required.
func parseArgs(fun string, list []any) ([]Arg, error) {
	var out []Arg
	seen, optional := map[string]bool{}, false
	for _, e := range list {
		var a Arg
		switch e := e.(type) {
		case string:
			a = Arg{Name: e, Required: true}
		case *value.Map:
			a = Arg{Name: e.String("name"), Required: !e.Has("default")}
			a.Default, _ = e.Get("default")
		}
		switch {
		case !word.MatchString(a.Name) || seen[a.Name]:
			return nil, fmt.Errorf("the function %s has an argument without a unique name: %v", fun, e)
		case a.Required && optional:
			return nil, fmt.Errorf("the argument %s of the function %s has no default, but follows one that has", a.Name, fun)
		}
		seen[a.Name] = true
		optional = optional || !a.Required
		out = append(out, a)
	}
	return out, nil
}

// answer parses the output of a program: one JSON map.
func answer(out []byte) (*value.Map, error) {
	raw, err := wire.FromJSON(out)
	if err != nil {
		return nil, fmt.Errorf("its answer is not JSON: %w", err)
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("its answer: %w", err)
	}
	m, ok := v.(*value.Map)
	if !ok || m == nil {
		return nil, errors.New("its answer is not a JSON map")
	}
	return m, nil
}

// Failure is an error that a module reports.
type Failure struct{ Text string }

func (e *Failure) Error() string { return e.Text }

// parseReturn parses the answer to "run".
func parseReturn(out []byte) (v any, retcode int, err error) {
	m, err := answer(out)
	if err != nil {
		return nil, 0, err
	}
	if text, ok := m.Get("error"); ok {
		s, ok := text.(string)
		if !ok || s == "" {
			return nil, 0, errors.New("its error is empty or not a string")
		}
		return nil, 0, &Failure{s}
	}
	v, ok := m.Get("return")
	if !ok {
		return nil, 0, errors.New("its answer has neither return nor error")
	}
	return v, int(m.Int("retcode")), nil
}

// request encodes a request as a line of JSON.
func request(m *value.Map) ([]byte, error) {
	raw, err := wire.Encode(m)
	if err != nil {
		return nil, err
	}
	line, err := wire.ToJSON(raw)
	return append(line, '\n'), err
}
