package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// option is one row of the page.
type option struct {
	name, def, unit, meaning string
	ours                     bool // Salt has none of that name
}

var unitNames = map[string]string{"s": "seconds", "ms": "milliseconds", "min": "minutes", "h": "hours", "byte": "bytes"}

// read gives the options of every struct in dir whose fields have a yaml name, in
// the order of the source.
func read(dir string) (map[string][]option, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	out := map[string][]option{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		var fault error
		ast.Inspect(f, func(n ast.Node) bool {
			t, ok := n.(*ast.TypeSpec)
			if !ok {
				return fault == nil
			}
			if s, ok := t.Type.(*ast.StructType); ok {
				var options []option
				if options, fault = fields(s); len(options) > 0 {
					out[t.Name.Name] = options
				}
			}
			return false
		})
		if fault != nil {
			return nil, fmt.Errorf("%s: %w", path, fault)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there are no options in %s", dir)
	}
	return out, nil
}

func fields(s *ast.StructType) ([]option, error) {
	var out []option
	for _, f := range s.Fields.List {
		if f.Tag == nil || len(f.Names) != 1 {
			continue
		}
		text, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return nil, err
		}
		tag := reflect.StructTag(text)
		name, _, _ := strings.Cut(tag.Get("yaml"), ",")
		if name == "" {
			continue
		}
		o := option{name: name, def: tag.Get("default"), unit: unitNames[tag.Get("unit")]}
		o.explain(f.Names[0].Name, f.Doc.Text())
		if words := tag.Get("oneof"); strings.Contains(words, " ") {
			o.meaning += " One of " + strings.ReplaceAll(words, " ", ", ") + "."
		}
		out = append(out, o)
	}
	return out, nil
}

// explain takes a comment apart: "Field does this. Ours. Default that."
func (o *option) explain(field, comment string) {
	text := strings.Join(strings.Fields(comment), " ")
	text = strings.TrimSpace(strings.TrimPrefix(text, field))
	if before, after, ok := strings.Cut(text, " Ours."); ok {
		text, o.ours = before+after, true
	}
	for _, word := range []string{" Default: ", " Default ", " Computed: "} {
		i := strings.LastIndex(text, word)
		if i < 0 {
			continue
		}
		said := strings.TrimSuffix(text[i+len(word):], ".")
		switch {
		case o.def == "" && strings.HasPrefix(said, "none"):
			text = text[:i] // an empty cell says so
		case o.def == "":
			continue // it is computed: the sentence stays
		case said == o.def:
			text = text[:i]
		}
		break
	}
	o.meaning = text
}
