package lowdata

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// MaxChunks bounds the chunks of one request.
const MaxChunks = 1000

// maxFields bounds the fields of a form.
const maxFields = 10_000

// ErrMediaType is returned for a body in a form that is not read here.
var ErrMediaType = errors.New("Content type not supported: send application/json, application/x-yaml or application/x-www-form-urlencoded")

// Error is a body, or a chunk of it, that cannot be what is meant.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

func invalid(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Options say how the two dialects of Salt's API differ.
type Options struct {
	// Typed makes the arguments in a form what they look like, so that arg=1 is a
	// number, as rest_cherrypy does. rest_tornado leaves those of a job texts.
	Typed bool
}

// Body is what a body says, before anybody asks whether it is low data: nil, a scalar,
// a list, or a map.
type Body struct {
	Value any
	Form  bool // the fields of a form: all values are texts, or lists of them
}

// Parse reads a body of a content type: text/plain is read as JSON or else YAML where it
// is a map or a list. An empty body is nil. Errors are [ErrMediaType] and [*Error].
func Parse(contentType string, body []byte) (Body, error) {
	d, err := Open(contentType, body)
	if err != nil {
		return Body{}, err
	}
	return d.Read(Bounds{})
}

// Read decodes the body, with what aliases stand for within the bounds. Errors are
// [ErrTooLarge] and [*Error].
func (d *Document) Read(within Bounds) (Body, error) {
	if err := d.Within(within); err != nil {
		return Body{}, err
	}
	switch d.kind {
	case form:
		return parseForm(d.body)
	case jsonText:
		v, err := parseJSON(d.body)
		return Body{Value: v}, err
	case plainText:
		if v, err := parseJSON(d.body); err == nil {
			return Body{Value: v}, nil
		}
	}
	v, err := parseYAML(d.body, within.Values)
	return Body{Value: v}, err
}

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

// parseYAML reads at most so many values, aliases included; 0: as many as any document may
// have.
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

// parseForm keeps the order of the fields; one that is there several times is a list.
func parseForm(body []byte) (Body, error) {
	m := value.NewMap()
	rest, n := string(body), 0
	for rest != "" {
		var field string
		field, rest, _ = strings.Cut(rest, "&")
		if field == "" {
			continue
		}
		if n++; n > maxFields {
			return Body{}, invalid("Invalid form: more than %d fields", maxFields)
		}
		name, val, has := strings.Cut(field, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			val, err = url.QueryUnescape(val)
		}
		if err != nil {
			return Body{}, invalid("Invalid form: %v", err)
		}
		if !utf8.ValidString(name) || !utf8.ValidString(val) {
			return Body{}, invalid("Invalid form: the text of field %q is no UTF-8", name)
		}
		if !has && val == "" && m.Len() == 0 && rest == "" {
			continue // not a form, such as a token on a line of its own: there are no fields
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
		return Body{Form: true}, nil
	}
	return Body{Value: m, Form: true}, nil
}

// Map gives the one map of a body: itself, or that of a list of one where such a list
// is taken.
func (b Body) Map() (*value.Map, error) {
	switch v := b.Value.(type) {
	case *value.Map:
		return v, nil
	case []any:
		if len(v) == 1 {
			if m, ok := v[0].(*value.Map); ok {
				return m, nil
			}
		}
	case nil:
		return nil, invalid("the body is empty; a map of fields is wanted")
	}
	return nil, invalid("the body is no map of fields")
}

// Chunks gives the chunks of a body: one map, or a list of maps. Each of them is sound or
// not for itself; what is wrong with the whole is an [*Error].
func (b Body) Chunks(o Options) ([]Chunk, error) {
	var list []any
	switch v := b.Value.(type) {
	case *value.Map:
		list = []any{v}
	case []any:
		list = v
	default:
		return nil, invalid("Lowstates must be a list")
	}
	if len(list) > MaxChunks {
		return nil, invalid("%d chunks in one request; there may be %d", len(list), MaxChunks)
	}
	out := make([]Chunk, 0, len(list))
	for i, v := range list {
		m, ok := v.(*value.Map)
		if !ok {
			return nil, invalid("Lowstates must be a list of maps: chunk %d is none", i)
		}
		out = append(out, Chunk{m: m, form: b.Form, typed: o.Typed})
	}
	return out, nil
}
