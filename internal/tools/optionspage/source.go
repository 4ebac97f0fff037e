package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// option is a row of the page.
type option struct {
	name, kind, def, meaning string
	computed                 bool     // def is a text, not a value
	ours                     bool     // Salt has no option of that name
	values                   []string // the allowed ones
	lenient                  bool     // the default replaces other values
}

var unitNames = map[string]string{"s": "seconds", "ms": "milliseconds", "min": "minutes", "h": "hours", "byte": "bytes", "MiB": "MiB"}

// kinds names the Go types of fields for readers of the page.
var kinds = map[string]string{
	"bool": "boolean", "*bool": "boolean", "string": "string", "int": "integer", "int64": "integer", "time.Duration": "seconds",
	"[]string": "list", "map[string]any": "map", "any": "list", "Override": "boolean or map", "Aggregate": "boolean or list",
	"Reactors": "list", "bounds.Bounds": "map",
}

// parse parses the Go files of a directory except tests.
func parse(dir string) (map[string]*ast.File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	out := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		out[path] = f
	}
	return out, nil
}

// read returns the options of every struct in dir whose fields have a yaml name, in the order
// of the source.
func read(dir string) (map[string][]option, error) {
	files, err := parse(dir)
	if err != nil {
		return nil, err
	}
	out := map[string][]option{}
	for path, f := range files {
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
		return nil, fmt.Errorf("no options in %s", dir)
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
		o := option{name: name, def: tag.Get("default"), kind: kind(f.Type, tag)}
		if words := tag.Get("oneof"); strings.Contains(words, " ") && o.kind != "boolean" {
			o.values = strings.Fields(words)
			o.lenient = tag.Get("unknown") == "default"
		}
		if err := o.explain(f.Names[0].Name, f.Doc.Text()); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// kind returns the type of a field, with its unit and range.
func kind(t ast.Expr, tag reflect.StructTag) string {
	name := cmp.Or(tag.Get("type"), unitNames[tag.Get("unit")], kinds[typeName(t)])
	low, high := tag.Get("min"), tag.Get("max")
	if name == "bytes" {
		low, high = size(low), size(high)
	}
	switch {
	case high == "65535":
		return "port"
	case high != "" && low != high:
		return fmt.Sprintf("%s, %s–%s", name, low, high)
	case low != "" && low != "-1" && low != "0" && low != "1" && high == "":
		return name + ", ≥ " + low
	}
	return name
}

// size shortens a number of bytes.
func size(text string) string {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n == 0:
	case n%(1<<40) == 0:
		return fmt.Sprintf("%d TiB", n>>40)
	case n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return text
}

func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return "*" + typeName(t.X)
	case *ast.SelectorExpr:
		return typeName(t.X) + "." + t.Sel.Name
	case *ast.ArrayType:
		return "[]" + typeName(t.Elt)
	case *ast.MapType:
		return "map[" + typeName(t.Key) + "]" + typeName(t.Value)
	}
	return ""
}

// notInSalt marks an option that Salt does not have.
const notInSalt = " Not in Salt."

// opening matches the text between the name of a field and the part of its comment that the
// page shows.
var opening = regexp.MustCompile(`^(?:(?:is|are) (?:the |an? )?|controls )`)

// explain takes a comment apart: "Field is the time of this. Not in Salt. Default: that." or
// "Field controls whether that is done."
func (o *option) explain(field, comment string) error {
	text := strings.Join(strings.Fields(comment), " ")
	text, ok := strings.CutPrefix(text, field+" ")
	verb := opening.FindString(text)
	if !ok || verb == "" || !strings.HasSuffix(text, ".") {
		return fmt.Errorf("the comment of %s has to begin with %q, %q or %q and to end with a full stop", field, field+" is", field+" are", field+" controls")
	}
	text = text[len(verb):]
	if o.kind == "list" {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "list of "), "the ")
	}
	if strings.HasPrefix(text, "same") || strings.HasPrefix(text, "only") {
		text = "the " + text
	}
	if before, after, ok := strings.Cut(text, notInSalt); ok {
		text, o.ours = before+after, true
	}
	if before, after, ok := strings.Cut(text, " Default: "); ok {
		if o.def != "" {
			return fmt.Errorf("the comment of %s repeats the default of its tag", field)
		}
		text, o.def, o.computed = before, strings.TrimSuffix(after, "."), true
	}
	o.meaning = strings.ToUpper(text[:1]) + text[1:]
	return nil
}

// names matches options in a text: most have underscores.
var names = regexp.MustCompile("`[^`]*`|\\b(?:cachedir|pillarenv|saltenv|keysize)\\b|\\b[a-z][a-z0-9]*(?:\\.[a-z]+)*(?:_[a-z0-9]+)+(?:_\\*)?|\\b[a-z]+_\\*")

// marked formats options as code, and keeps existing code.
func marked(s string) string {
	return names.ReplaceAllStringFunc(s, func(name string) string {
		if strings.HasPrefix(name, "`") {
			return name
		}
		return "`" + name + "`"
	})
}

// text returns the meaning with the values that it does not name.
func (o *option) text() string {
	text := marked(o.meaning)
	var missing bool
	values := slices.DeleteFunc(slices.Clone(o.values), func(v string) bool { return v == "False" })
	for _, v := range values {
		missing = missing || !strings.Contains(text, "`"+v+"`")
	}
	switch {
	case missing && o.lenient:
		text += " Values: " + codes(values) + "; others mean the default."
	case missing:
		text += " Values: " + codes(values) + "."
	case o.lenient && !strings.Contains(text, "is ignored"): // unless the comment says it
		text += " Other values mean the default."
	}
	return cell(text)
}

// defaults returns the default for its cell.
func (o *option) defaults() string {
	switch short := size(o.def); {
	case o.computed:
		return cell(marked(o.def))
	case o.def == "False" && slices.Contains(o.values, "off"): // as YAML reads it
		return code("off")
	case strings.HasPrefix(o.kind, "bytes") && short != o.def:
		return fmt.Sprintf("%s (%s)", code(o.def), short)
	}
	return code(o.def)
}

// group is a set of options that have no effect for one reason.
type group struct {
	why   string
	names []string
}

// readNotYet returns the keys of the variable NotYet by the comments above them.
func readNotYet(dir string) ([]group, error) {
	files, err := parse(dir)
	if err != nil {
		return nil, err
	}
	f := files[filepath.Join(dir, "notyet.go")]
	if f == nil {
		return nil, fmt.Errorf("no notyet.go in %s", dir)
	}
	var out []group
	comments := f.Comments
	ast.Inspect(f, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		for len(comments) > 0 && comments[0].Pos() < kv.Pos() {
			out = append(out, group{why: strings.Join(strings.Fields(comments[0].Text()), " ")})
			comments = comments[1:]
		}
		last := &out[len(out)-1]
		last.names = append(last.names, literal(kv.Key))
		return true
	})
	return slices.DeleteFunc(out, func(g group) bool { return len(g.names) == 0 }), nil
}

// literal returns the value of a string literal.
func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		if s, err := strconv.Unquote(l.Value); err == nil {
			return s
		}
	}
	return ""
}
