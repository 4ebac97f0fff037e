package lowdata

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"strings"
)

// Bounds are what a body may hold. A zero field means no bound of its own.
type Bounds struct {
	Values int // in all, keys included
	Depth  int // lists and maps inside each other
	YAML   int // bytes of a body that is read as YAML
}

// ErrTooLarge is returned for a body beyond its [Bounds].
var ErrTooLarge = errors.New("The body is too large")

// Document is a body whose form is known and which is not decoded yet.
type Document struct {
	kind   kind
	body   []byte
	Values int // at most, keys included
	Depth  int // at most; 0 where it is not known before decoding
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

// Open counts what a body of a content type holds, without decoding it and without
// allocating. The error is [ErrMediaType].
func Open(contentType string, body []byte) (*Document, error) {
	name, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, ErrMediaType
	}
	if cs := params["charset"]; cs != "" && !strings.EqualFold(cs, "utf-8") && !strings.EqualFold(cs, "us-ascii") {
		return nil, fmt.Errorf("%w; its charset has to be utf-8, not %q", ErrMediaType, cs)
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

// Within checks bounds. The error is [ErrTooLarge] with the reason.
func (d *Document) Within(b Bounds) error {
	switch {
	case b.YAML > 0 && d.yaml() && len(d.body) > b.YAML:
		return fmt.Errorf("%w: %d bytes of YAML, at most %d are read without a valid token; send JSON", ErrTooLarge, len(d.body), b.YAML)
	case b.Values > 0 && d.Values > b.Values:
		return fmt.Errorf("%w: about %d values, at most %d are read without a valid token", ErrTooLarge, d.Values, b.Values)
	case b.Depth > 0 && d.Depth > b.Depth:
		return fmt.Errorf("%w: values are nested %d deep, at most %d are read without a valid token", ErrTooLarge, d.Depth, b.Depth)
	}
	return nil
}

// Bytes that decoding costs, as measured: by byte of the body, and by value.
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

// countJSON counts the values of a document and how deep they nest. Of a text that is not
// JSON it counts at least as many as a decoder reads before it stops.
func countJSON(b []byte) (values, depth int) {
	at, inside := 0, 0
	for at < len(b) {
		switch c := b[at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			at++
		case '{', '[':
			values, inside, at = values+1, inside+1, at+1
			depth = max(depth, inside)
		case '}', ']':
			inside, at = inside-1, at+1
		case '"':
			values++
			for at++; at < len(b) && b[at] != '"'; at++ {
				if b[at] == '\\' {
					at++
				}
			}
			at++
		default:
			values++
			for at < len(b) && bytes.IndexByte(endOfWord, b[at]) < 0 {
				at++
			}
		}
	}
	return values, depth
}

var endOfWord = []byte(" \t\r\n,:{}[]\"")

// countYAML counts the nodes that a document can have: each takes a line, a bracket, a comma,
// a dash, a colon or a question mark. Text with such characters counts as well, so the count
// may be too high, never too low.
func countYAML(b []byte) int {
	n := 1
	for i, c := range b {
		switch c {
		case '\n', '\r', '[', '{', ',', '&', '*', '!':
			n++
		case '-':
			if ends(b, i) {
				n++
			}
		case ':', '?': // a map, a key and a value
			n += 3
		case 0xc2, 0xe2: // the line ends of Unicode begin so
			n++
		}
	}
	return n
}

// ends reports whether a blank, or nothing, follows b[i].
func ends(b []byte, i int) bool {
	return i+1 >= len(b) || b[i+1] == ' ' || b[i+1] == '\t' || b[i+1] == '\n' || b[i+1] == '\r'
}
