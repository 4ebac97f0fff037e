package lowdata

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
)

// Bounds are what a body may hold. A zero field is no bound.
type Bounds struct {
	Values int // including keys
	Depth  int // of nested lists and maps
	YAML   int // bytes of a body that is read as YAML
}

// Document is a body that is not decoded yet.
type Document struct {
	kind   kind
	body   []byte
	Values int // at most, including keys
	Depth  int // at most; 0 if it is unknown before decoding
}

// kind is the form of a body.
type kind int

const (
	form kind = iota
	jsonText
	yamlText
	plainText // JSON, else YAML
)

var kinds = map[string]kind{
	"application/x-www-form-urlencoded": form,
	"application/json":                  jsonText, "text/json": jsonText,
	"application/x-yaml": yamlText, "text/yaml": yamlText, "application/yaml": yamlText,
	"text/plain": plainText,
}

// Open counts what a body of a content type holds, without decoding it. The error is [ErrMediaType].
func Open(contentType string, body []byte) (*Document, error) {
	name, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, ErrMediaType
	}
	if cs := params["charset"]; cs != "" && !strings.EqualFold(cs, "utf-8") && !strings.EqualFold(cs, "us-ascii") {
		return nil, fmt.Errorf("%w; the charset must be utf-8, not %q", ErrMediaType, cs)
	}
	k, ok := kinds[name]
	if !ok {
		return nil, ErrMediaType
	}
	d := &Document{kind: k, body: body}
	switch k {
	case form:
		d.Values, d.Depth = 1+2*(1+bytes.Count(body, []byte{'&'})), 2
	case jsonText:
		d.Values, d.Depth = countJSON(body)
	case yamlText:
		d.Values = countYAML(body)
	case plainText:
		d.Values, d.Depth = countJSON(body)
		d.Values = max(d.Values, countYAML(body))
	}
	return d, nil
}

// yaml reports whether the body may be read as YAML.
func (d *Document) yaml() bool { return d.kind == yamlText || d.kind == plainText }

// Within checks bounds. It returns [ErrTooLarge] with the reason.
func (d *Document) Within(b Bounds) error {
	switch {
	case b.YAML > 0 && d.yaml() && len(d.body) > b.YAML:
		return fmt.Errorf("%w: %d bytes of YAML, at most %d are accepted without a valid token; send JSON", ErrTooLarge, len(d.body), b.YAML)
	case b.Values > 0 && d.Values > b.Values:
		return fmt.Errorf("%w: about %d values, at most %d are accepted without a valid token", ErrTooLarge, d.Values, b.Values)
	case b.Depth > 0 && d.Depth > b.Depth:
		return fmt.Errorf("%w: values are nested %d deep, at most %d are accepted without a valid token", ErrTooLarge, d.Depth, b.Depth)
	}
	return nil
}

// Measured bytes of memory that decoding takes, by byte of the body and by value.
const (
	costOfByte = 2
	costOfYAML = 64
	costOfOne  = 64
)

// Weight estimates the memory that decoding takes, in bytes.
func (d *Document) Weight() int64 {
	w := costOfByte*int64(len(d.body)) + costOfOne*int64(d.Values)
	if d.yaml() {
		w = max(w, costOfYAML*int64(len(d.body)))
	}
	return w
}

// Read decodes the body within bounds, including what aliases stand for. Errors are [ErrTooLarge] and
// [*Error].
func (d *Document) Read(within Bounds) (Body, error) {
	if err := d.Within(within); err != nil {
		return Body{}, err
	}
	switch d.kind {
	case form:
		m, err := parseForm(d.body)
		if err != nil {
			return Body{}, err
		}
		if m == nil {
			return Body{Form: true}, nil
		}
		return Body{Value: m, Form: true}, nil
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

// Parse reads a body of a content type. It reads text/plain as JSON, or else as YAML. An empty body is
// nil. Errors are [ErrMediaType] and [*Error].
func Parse(contentType string, body []byte) (Body, error) {
	d, err := Open(contentType, body)
	if err != nil {
		return Body{}, err
	}
	return d.Read(Bounds{})
}
