package pyfmt

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// newDecoder reads b until ctx ends. The library reads in small pieces.
func newDecoder(ctx context.Context, b []byte) *yaml.Decoder {
	return yaml.NewDecoder(&pieces{ctx, bytes.NewReader(b)})
}

type pieces struct {
	ctx  context.Context
	from *bytes.Reader
}

// Read returns the next piece.
func (p *pieces) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.from.Read(b)
}

var syntaxLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

var anchor = regexp.MustCompile(`^unknown anchor '(.*)' referenced`)

// countedFromZero matches the parser errors of the YAML library, whose lines count from 0;
// those of its scanner count from 1.
var countedFromZero = regexp.MustCompile(`^did not find expected (?:node content|key|'-' indicator|',' or|<)`)

// located converts the library's error to a fault with its line. The library names the line
// where the enclosing collection begins, unless that is the first line of the document. So
// located decodes again: with a blank line before the document for the first, and with the
// document cut at that line for the second.
func located(ctx context.Context, err error, data []byte) *YAMLFault {
	f := syntax(err, data)
	if !countedFromZero.MatchString(strings.TrimPrefix(f.Text, "invalid YAML: ")) {
		return f
	}
	begins := syntax(decodeError(ctx, append([]byte{'\n'}, data...)), nil).Line - 1
	if begins < 1 || ctx.Err() != nil {
		return f
	}
	rest := data[lineStart(data, begins):]
	if rerr := decodeError(ctx, rest); rerr != nil {
		f.Line = min(begins+syntax(rerr, rest).Line-1, bytes.Count(bytes.TrimRight(data, "\n"), []byte{'\n'})+1)
	}
	return f
}

func decodeError(ctx context.Context, b []byte) error {
	var doc yaml.Node
	dec := newDecoder(ctx, b)
	err := dec.Decode(&doc)
	if err == nil {
		err = dec.Decode(&doc)
	}
	return err
}

// syntax converts the library's error to a fault with the line in which it occurs, or in
// which an unterminated element begins.
func syntax(err error, data []byte) *YAMLFault {
	if err == nil {
		return &YAMLFault{Line: 1}
	}
	line, text := 1, err.Error() // the library names no line for the first one
	if m := syntaxLine.FindStringSubmatch(text); m != nil {
		text = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
			if countedFromZero.MatchString(text) {
				//mutant:syntax-error-line
				line++
			}
		}
	}
	// A final line end counts as one more line.
	if data != nil {
		line = min(line, bytes.Count(bytes.TrimRight(data, "\n"), []byte{'\n'})+1)
	}
	if m := anchor.FindStringSubmatch(text); m != nil { // this error names no line
		if at := bytes.Index(data, []byte("*"+m[1])); at >= 0 {
			line = bytes.Count(data[:at], []byte{'\n'}) + 1
		}
	}
	if strings.Contains(text, "that cannot start any token") {
		text += " (indent with spaces, and quote values that begin with @, ` or a tab)"
	}
	return &YAMLFault{Line: line, Text: "invalid YAML: " + text}
}
