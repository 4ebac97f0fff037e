package render

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/jinja"
	"github.com/momtree/mom/value"
)

// DefaultPipe is Salt's renderer.
const DefaultPipe = "jinja|yaml"

// stage is one renderer of a pipe. Its input is text or data.
type stage func(ctx context.Context, e *Engine, t Template, in any) (any, error)

var stages = map[string]stage{
	"jinja": jinjaStage,
	"yaml":  yamlStage,
	"json":  jsonStage,
	"gpg":   gpgStage,
}

// oldNames are renderers from before pipes existed.
var oldNames = map[string]string{"yaml_jinja": "jinja|yaml", "json_jinja": "jinja|json"}

// Renderers returns the names that a pipe may hold.
func Renderers() []string { return sortedNames(stages) }

// CheckPipe returns an error for an invalid pipe; "jinja|yaml" is a valid one.
func CheckPipe(pipe string) error {
	_, err := parsePipe(pipe)
	return err
}

type step struct {
	name, args string
	run        stage
}

func parsePipe(pipe string) ([]step, error) {
	pipe = strings.TrimSpace(pipe)
	if old, ok := oldNames[pipe]; ok {
		pipe = old
	}
	var steps []step
	for part := range strings.SplitSeq(pipe, "|") {
		name, args, _ := strings.Cut(strings.TrimSpace(part), " ")
		run, ok := stages[name]
		if !ok {
			return nil, &Error{Text: fmt.Sprintf("The renderer \"%s\" of \"%s\" is not available: known are %s. Rewrite the file for one of them, or let a Python master render it.",
				name, pipe, strings.Join(Renderers(), ", "))}
		}
		args = strings.TrimSpace(args)
		if args != "" && (name != "jinja" || args != "-s") {
			return nil, &Error{Text: "Unknown renderer option: " + args}
		}
		steps = append(steps, step{name, args, run})
	}
	return steps, nil
}

// Pipe returns the pipe of a file: that of its #! line, else def, else [DefaultPipe].
func Pipe(source []byte, def string) string {
	line, _, _ := bytes.Cut(source, []byte("\n"))
	if bytes.HasPrefix(line, []byte("#!")) && !bytes.HasPrefix(line, []byte("#!/")) {
		return strings.TrimSpace(string(line[2:]))
	}
	if def == "" {
		return DefaultPipe
	}
	return def
}

// SLS renders a file to data, by its #! line or else by pipe ("" means [DefaultPipe]). An
// empty file renders to an empty map, and so do values that are false in Python.
func (e *Engine) SLS(ctx context.Context, t Template, pipe string) (any, error) {
	//mutant:render-source
	if len(t.Source) > e.limits.Source {
		return nil, e.tooLarge(t)
	}
	if len(bytes.TrimSpace(t.Source)) == 0 {
		return value.NewMap(), nil
	}
	steps, err := parsePipe(Pipe(t.Source, pipe))
	if err != nil {
		return nil, err
	}
	in := any(string(t.Source))
	for _, s := range steps {
		if err := ctx.Err(); err != nil {
			return nil, &Error{Text: "the rendering took too long: " + err.Error(), Err: err}
		}
		if in, err = s.run(ctx, e, t, in); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func wantText(name string, in any) (string, error) {
	if s, ok := in.(string); ok {
		return s, nil
	}
	return "", &Error{Text: fmt.Sprintf("The renderer %s takes text, but what comes before it in the pipe gives data", name)}
}

func jinjaStage(ctx context.Context, e *Engine, t Template, in any) (any, error) {
	text, err := wantText("jinja", in)
	if err != nil {
		return nil, err
	}
	t.Source = []byte(text)
	return e.jinja(ctx, t, true)
}

func yamlStage(ctx context.Context, e *Engine, t Template, in any) (any, error) {
	text, err := wantText("yaml", in)
	if err != nil {
		return nil, err
	}
	if len(text) > e.limits.Output {
		return nil, &Error{Text: fmt.Sprintf("the YAML has %d bytes, more than %d", len(text), e.limits.Output)}
	}
	var v any
	if thrown := caught(func() { v, err = loadYAML(e.meter(ctx, t, len(text)), text, e.limits.Values) }); thrown != nil {
		return nil, &Error{Text: thrown.Error(), Err: thrown}
	}
	if err != nil {
		return nil, err
	}
	return orEmpty(v), nil
}

// orEmpty replaces a value that is false in Python by an empty map.
func orEmpty(v any) any {
	switch v := v.(type) {
	case nil:
		return value.NewMap()
	case *value.Map:
		return v
	}
	if !jinja.Truth(jinja.Take(v)) {
		return value.NewMap()
	}
	return v
}

func jsonStage(ctx context.Context, e *Engine, t Template, in any) (any, error) {
	text, err := wantText("json", in)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(text, "#!") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if strings.TrimSpace(text) == "" {
		return value.NewMap(), nil
	}
	var v any
	thrown := caught(func() {
		r := e.meter(ctx, t, len(text))
		if v, err = loadJSON(r, text); err == nil {
			v, err = r.Give(v)
		}
	})
	if err = cmp.Or(thrown, err); err != nil {
		return nil, &Error{Text: err.Error(), Err: err}
	}
	return v, nil
}

var pgpMessage = regexp.MustCompile(`(?s)-----BEGIN PGP MESSAGE-----.*?-----END PGP MESSAGE-----`)

func gpgStage(ctx context.Context, e *Engine, _ Template, in any) (any, error) {
	return e.decrypt(ctx, in, 0)
}

// decrypt replaces PGP messages in values by their plain text; keys stay as they are.
func (e *Engine) decrypt(ctx context.Context, v any, depth int) (any, error) {
	if depth > 200 {
		return nil, &Error{Text: "values are nested more than 200 deep"}
	}
	var err error
	switch v := v.(type) {
	case string:
		return e.decryptText(ctx, v)
	case []any:
		for i := range v {
			if v[i], err = e.decrypt(ctx, v[i], depth+1); err != nil {
				return nil, err
			}
		}
	case *value.Map:
		for _, k := range v.Keys() {
			val, _ := v.GetKey(k)
			if val, err = e.decrypt(ctx, val, depth+1); err != nil {
				return nil, err
			}
			v.Set(k, val)
		}
	}
	return v, nil
}

func (e *Engine) decryptText(ctx context.Context, s string) (any, error) {
	places := pgpMessage.FindAllStringIndex(s, -1)
	if places == nil {
		return s, nil
	}
	if e.opts.GPG == nil {
		return nil, &Error{Text: "Could not decrypt a PGP message: there is no keyring (gpg_keydir)"}
	}
	var out strings.Builder
	last := 0
	for _, p := range places {
		armored := strings.ReplaceAll(s[p[0]:p[1]], `\n`, "\n")
		plain, err := e.opts.GPG.Decrypt(ctx, []byte(armored))
		if err != nil {
			//mutant:render-undecrypted
			return nil, &Error{Text: "Could not decrypt a PGP message: " + err.Error(), Err: err}
		}
		out.WriteString(s[last:p[0]])
		out.Write(plain)
		last = p[1]
	}
	out.WriteString(s[last:])
	return strings.TrimRight(out.String(), "\n"), nil
}
