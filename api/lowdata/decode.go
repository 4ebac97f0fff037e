package lowdata

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// maxFields bounds the fields of a form.
const maxFields = 10_000

func parseJSON(body []byte) (any, error) {
	if len(strings.TrimSpace(string(body))) == 0 {
		return nil, nil
	}
	var raw client.Raw
	if err := raw.UnmarshalJSON(body); err != nil {
		return nil, invalid("Invalid JSON document: %v", err)
	}
	v, err := raw.Decode()
	if err != nil {
		return nil, invalid("Invalid JSON document: %v", err)
	}
	return v, nil
}

// parseYAML reads at most that many values, including those of aliases; 0: no bound of its own.
func parseYAML(body []byte, values int) (any, error) {
	read := pyfmt.ReadYAML
	if values > 0 {
		read = func(b []byte) (any, error) { return pyfmt.ReadYAMLMax(b, values) }
	}
	v, err := read(body)
	if err != nil {
		return nil, invalid("Invalid YAML document: %v", err)
	}
	return v, nil
}

// parseForm keeps the order of the fields. A repeated field becomes a list.
func parseForm(body []byte) (*value.Map, error) {
	m := value.NewMap()
	rest, n := string(body), 0
	for rest != "" {
		var field string
		field, rest, _ = strings.Cut(rest, "&")
		if field == "" {
			continue
		}
		if n++; n > maxFields {
			return nil, invalid("Invalid form: more than %d fields", maxFields)
		}
		name, val, has := strings.Cut(field, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			val, err = url.QueryUnescape(val)
		}
		if err != nil {
			return nil, invalid("Invalid form: %v", err)
		}
		if !utf8.ValidString(name) || !utf8.ValidString(val) {
			return nil, invalid("Invalid form: the text of field %q is not UTF-8", name)
		}
		if !has && val == "" && m.Len() == 0 && rest == "" {
			continue // not a form, such as a token on a line of its own
		}
		switch before, there := m.Get(name); before := before.(type) {
		case []any:
			m.Set(name, append(before, val))
		default:
			if there {
				m.Set(name, []any{before, val})
			} else {
				m.Set(name, val)
			}
		}
	}
	if m.Len() == 0 {
		return nil, nil
	}
	return m, nil
}
