package gitrepo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Entry is one remote of a configuration.
type Entry struct {
	// ID is the remote as configured: its URL, for pillar preceded by a branch.
	ID     string
	Params Params
}

// Params are the parameters of a remote by name.
type Params map[string]any

// Entries parses a list of remotes: URL, or {URL: [PARAMETER: VALUE, ...]}. known are the valid
// parameter names. The error names each invalid entry.
func Entries(conf any, known []string) ([]Entry, error) {
	conf = value.Plain(conf)
	list, ok := conf.([]any)
	if text, one := conf.(string); one {
		list, ok = []any{text}, true
	}
	if !ok && conf != nil {
		return nil, errors.New("should be a list of remotes, each a URL or {URL: [PARAMETER: VALUE]}")
	}
	var out []Entry
	var faults []error
	for i, v := range list {
		e, err := entry(v, known)
		if err != nil {
			faults = append(faults, fmt.Errorf("entry %d: %w", i+1, err))
			continue
		}
		out = append(out, e)
	}
	return out, errors.Join(faults...)
}

func entry(v any, known []string) (e Entry, err error) {
	switch v := v.(type) {
	case string:
		e.ID = strings.TrimSpace(v)
	case map[string]any:
		if len(v) != 1 {
			return e, errors.New("should be a URL with its parameters below it; is the indentation right?")
		}
		for id, params := range v {
			e.ID = strings.TrimSpace(id)
			if e.Params, err = pairs(params); err != nil || len(e.Params) == 0 {
				return e, fmt.Errorf("%s: should be followed by a list of parameters; without parameters, remove the colon after the URL", Redacted(id))
			}
		}
	default:
		return e, fmt.Errorf("should be a URL, not %s", pyfmt.Repr(v))
	}
	if e.ID == "" {
		return e, errors.New("the URL is empty")
	}
	for _, name := range slices.Sorted(maps.Keys(e.Params)) {
		if !slices.Contains(known, name) {
			return e, fmt.Errorf("%s: unknown parameter %s; use one of %s", Redacted(e.ID), name, strings.Join(slices.Sorted(slices.Values(known)), ", "))
		}
	}
	return e, nil
}

// pairs parses [{NAME: VALUE}, ...] or {NAME: VALUE, ...}.
func pairs(v any) (Params, error) {
	out := Params{}
	switch v := v.(type) {
	case map[string]any:
		maps.Copy(out, v)
	case []any:
		for _, e := range v {
			m, ok := e.(map[string]any)
			if !ok {
				return nil, errors.New("no parameter")
			}
			maps.Copy(out, m)
		}
	default:
		return nil, errors.New("no parameters")
	}
	return out, nil
}

// Text returns a string parameter. It formats other YAML values as Python would.
func (p Params) Text(name, def string) (string, error) {
	v, ok := p[name]
	switch v := v.(type) {
	case string:
		return v, nil
	case nil:
		if !ok {
			return def, nil
		}
		return "", fmt.Errorf("%s has no value", name)
	case []any, map[string]any:
		return "", fmt.Errorf("%s should be a string, not %s", name, pyfmt.Repr(v))
	}
	return pyfmt.Str(v), nil
}

// Flag returns a boolean parameter.
func (p Params) Flag(name string, def bool) (bool, error) {
	v, ok := p[name]
	if !ok {
		return def, nil
	}
	b, isFlag := v.(bool)
	if !isFlag {
		return false, fmt.Errorf("%s should be True or False, not %s", name, pyfmt.Repr(v))
	}
	return b, nil
}

// Texts returns a parameter that is a list of strings or comma-separated text.
func (p Params) Texts(name string, def []string) ([]string, error) {
	v, ok := p[name]
	if !ok {
		return def, nil
	}
	list, isList := v.([]any)
	if !isList {
		text, err := p.Text(name, "")
		if err != nil {
			return nil, err
		}
		for w := range strings.SplitSeq(text, ",") {
			list = append(list, strings.TrimSpace(w))
		}
	}
	var out []string
	for _, e := range list {
		switch e.(type) {
		case nil, []any, map[string]any:
			return nil, fmt.Errorf("%s should be a list of strings", name)
		}
		out = append(out, pyfmt.Str(e))
	}
	return out, nil
}

// Seconds returns a duration in seconds, at least 1.
func (p Params) Seconds(name string, def float64) (float64, error) {
	v, ok := p[name]
	if !ok {
		return def, nil
	}
	if n, isNumber := pyfmt.Number(v); isNumber && n >= 1 && n < 1e9 {
		return n, nil
	}
	return 0, fmt.Errorf("%s should be a number of seconds, at least 1, not %s", name, pyfmt.Repr(v))
}

// Overlays returns a parameter with parameters by environment.
func (p Params) Overlays(name string) (map[string]Params, error) {
	v, ok := p[name]
	if !ok || v == nil {
		return nil, nil
	}
	by, err := pairs(v)
	if err != nil {
		return nil, fmt.Errorf("%s should be a list of {ENVIRONMENT: [PARAMETER: VALUE]}", name)
	}
	out := map[string]Params{}
	for _, env := range slices.Sorted(maps.Keys(by)) {
		if out[env], err = pairs(by[env]); err != nil {
			return nil, fmt.Errorf("%s: %s should be followed by a list of parameters", name, env)
		}
	}
	return out, nil
}

// AuthParams are the parameter names for [Params.Auth].
var AuthParams = []string{"user", "password", "pubkey", "privkey", "passphrase", "insecure_auth", "ssl_verify"}

// Auth returns the credentials: those in the parameters replace those for all remotes.
func (p Params) Auth(of Auth) (Auth, error) {
	var faults []error
	text := func(name string, into *string) {
		v, err := p.Text(name, *into)
		faults = append(faults, err)
		*into = v
	}
	text("user", &of.User)
	text("password", &of.Password)
	text("privkey", &of.Privkey)
	text("pubkey", &of.Pubkey)
	text("passphrase", &of.Passphrase)
	var err error
	of.InsecureAuth, err = p.Flag("insecure_auth", of.InsecureAuth)
	faults = append(faults, err)
	verify, err := p.Flag("ssl_verify", !of.AnyCert)
	of.AnyCert = !verify
	return of, errors.Join(append(faults, err)...)
}
