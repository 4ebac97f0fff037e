package secrets

import (
	"regexp"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/pyfmt"
)

// Mask replaces a secret, as in Salt.
const Mask = "**********"

// words are parts of the names of secrets.
var words = []string{"pass", "pwd", "secret", "token", "key", "cred", "auth"}

// plain are names that contain one of the words but are ordinary arguments of functions, such
// as key in grains.get and config.get.
var plain = map[string]bool{
	"auth_timeout": true, "author": true, "authors": true, "key": true, "key_id": true, "key_url": true, "keyid": true, "keys": true,
	"keyserver": true, "keyword": true, "keywords": true, "passive": true, "bypass": true,
}

// Named reports whether a name looks like that of a secret.
func Named(name string) bool {
	name = strings.ToLower(name)
	if plain[name] {
		return false
	}
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

var (
	// assigned matches a string name=value.
	assigned = regexp.MustCompile(`^([A-Za-z_][\w.-]*)=`)
	// inText matches a named value in JSON, YAML or Python text.
	inText = regexp.MustCompile(`(?i)[\w.-]*(?:` + strings.Join(words, "|") + `)[\w.-]*["']?\s*[:=]`)
)

// Masker masks arguments, unless it is off.
type Masker struct{ Off bool }

// Args returns the arguments of a function with secrets masked, and whether it masked any. args
// is not changed.
func (k Masker) Args(fun string, args []any) (out []any, masked bool) {
	if k.Off {
		return args, false
	}
	out = make([]any, len(args))
	for i, v := range args {
		var is bool
		if positional(v) && at(fun, i) {
			out[i], is = Mask, true
		} else {
			out[i], is = value(v)
		}
		masked = masked || is
	}
	if !masked {
		return args, false
	}
	return out, true
}

// Value returns v with the secrets in it masked, and whether it masked any.
func (k Masker) Value(v any) (out any, masked bool) {
	if k.Off {
		return v, false
	}
	return value(v)
}

func value(v any) (out any, masked bool) {
	switch v := v.(type) {
	case string:
		return text(v)
	case []byte:
		if s, is := text(string(v)); is {
			return s, true
		}
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			var is bool
			list[i], is = value(x)
			masked = masked || is
		}
		if masked {
			return list, true
		}
	case *wire.Map:
		m := v.Clone()
		v.Range(func(key, x any) bool {
			name := pyfmt.Str(key)
			inner, is := value(x)
			if !strings.HasPrefix(name, "__") && Named(name) && x != nil {
				inner, is = Mask, true
			}
			if is {
				m.Set(key, inner)
				masked = true
			}
			return true
		})
		if masked {
			return m, true
		}
	}
	return v, false
}

// text masks name=value, and text that looks like a map or list with a secret in it.
func text(s string) (out any, masked bool) {
	name, rest := assigned.FindString(s), s
	rest = rest[len(name):]
	if name != "" && rest != "" && Named(name) {
		return name + Mask, true
	}
	if rest = strings.TrimSpace(rest); rest != "" && (rest[0] == '{' || rest[0] == '[') && inText.MatchString(rest) {
		return name + Mask, true
	}
	return s, false
}

// positional reports whether an argument is positional.
func positional(v any) bool {
	switch v := v.(type) {
	case string:
		return v != "" && !assigned.MatchString(v)
	case *wire.Map:
		return !v.Has("__kwarg__")
	}
	return v != nil
}
