package lowdata

import "github.com/momtree/mom/value"

// MaxChunks bounds the chunks of one request.
const MaxChunks = 1000

// Options say how the two dialects of Salt's API differ.
type Options struct {
	// Typed reads the arguments in a form as numbers and booleans, so that arg=1 is a number, as
	// rest_cherrypy does. rest_tornado leaves those of a job as texts.
	Typed bool
}

// Body is a decoded body: nil, a scalar, a list, or a map.
type Body struct {
	Value any
	Form  bool // from a form: all values are texts, or lists of texts
}

// Map returns the only map of a body: the body itself, or the element of a list of one.
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
		return nil, invalid("the body is empty; send a map of fields")
	}
	return nil, invalid("the body is not a map of fields")
}

// Chunks returns the chunks of a body: one map, or a list of maps. It does not check the chunks. The
// error is an [*Error].
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
		return nil, invalid("%d chunks in one request; at most %d are allowed", len(list), MaxChunks)
	}
	out := make([]Chunk, 0, len(list))
	for i, v := range list {
		m, ok := v.(*value.Map)
		if !ok {
			return nil, invalid("Lowstates must be a list of maps: chunk %d is not a map", i)
		}
		out = append(out, Chunk{fields{m: m, form: b.Form, typed: o.Typed}})
	}
	return out, nil
}
