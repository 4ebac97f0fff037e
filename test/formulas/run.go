package formulas

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
)

// Side is one of the two minions that are compared.
type Side struct {
	// Argv is its salt-call.
	Argv []string
	// Dir is a folder of its own for caches and configuration.
	Dir string
}

// Outcome is what one SLS gave with one side: a value, or why there is none.
type Outcome struct {
	Value any
	Error string
}

// Result is one SLS with both sides.
type Result struct {
	Formula, SLS string
	Salt, Ours   Outcome
}

// minionFile is the configuration of both sides.
const minionFile = `id: formulas
root_dir: %[1]s
file_client: local
file_roots: {base: [%[2]s]}
pillar_roots: {base: [%[3]s]}
log_level: critical
log_level_logfile: quiet
`

// Prepare writes the configuration of a side for a formula. Its pillar is the file
// pillar.example of the formula, if there is one.
func (s Side) Prepare(f Formula) error {
	pillar := filepath.Join(s.Dir, "pillar")
	if err := errors.Join(os.RemoveAll(pillar), os.MkdirAll(pillar, 0o700)); err != nil {
		return err
	}
	top := "base: {}\n"
	example, err := os.ReadFile(filepath.Join(f.Dir, "pillar.example"))
	if err == nil {
		top = "base:\n  '*': [example]\n"
		err = os.WriteFile(filepath.Join(pillar, "example.sls"), example, 0o600)
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.WriteFile(filepath.Join(pillar, "top.sls"), []byte(top), 0o600),
		os.WriteFile(filepath.Join(s.Dir, "minion"), fmt.Appendf(nil, minionFile, s.Dir, f.Dir, pillar), 0o600))
}

// Run compiles an SLS, or with apply runs it as a test.
func (s Side) Run(ctx context.Context, sls string, apply bool) Outcome {
	args := append([]string{}, s.Argv[1:]...)
	args = append(args, "--local", "-c", s.Dir, "--out=json", "--retcode-passthrough")
	if apply {
		args = append(args, "state.apply", sls, "test=True")
	} else {
		args = append(args, "state.show_sls", sls)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, s.Argv[0], args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var doc struct{ Local any }
	if jerr := json.Unmarshal(out.Bytes(), &doc); jerr != nil {
		return Outcome{Error: lastLine(cmp.Or(strings.TrimSpace(errs.String()), strings.TrimSpace(out.String()), fmt.Sprint(err)))}
	}
	if list, ok := doc.Local.([]any); ok {
		return Outcome{Error: fmt.Sprint(list...)}
	}
	return Outcome{Value: plain(doc.Local)}
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// plain leaves out what two runs of one minion differ in.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"start_time", "duration", "pid"} {
			delete(v, name)
		}
		for k, e := range v {
			v[k] = plain(e)
		}
	case []any:
		for i, e := range v {
			v[i] = plain(e)
		}
	}
	return v
}

// Equal reports whether both sides gave the same, or both refused.
func (r Result) Equal() bool {
	if r.Salt.Error != "" || r.Ours.Error != "" {
		return r.Salt.Error != "" && r.Ours.Error != ""
	}
	return reflect.DeepEqual(r.Salt.Value, r.Ours.Value)
}

// Reason says in one line how the sides differ; "" where they are equal.
func (r Result) Reason() string {
	switch {
	case r.Equal():
		return ""
	case r.Ours.Error != "":
		return "ours: " + firstLine(r.Ours.Error)
	case r.Salt.Error != "":
		return "Salt: " + firstLine(r.Salt.Error)
	}
	path, a, b := difference("", r.Salt.Value, r.Ours.Value)
	return fmt.Sprintf("%s: Salt %s, ours %s", strings.TrimPrefix(path, " / "), short(a), short(b))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return short(line)
}

func short(v any) string {
	s := fmt.Sprint(v)
	if r := []rune(s); len(r) > 120 {
		s = string(r[:120]) + "…"
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", "\\|")
}

// difference is the first place in which two values differ, with what each has there.
func difference(path string, a, b any) (string, any, any) {
	x, okA := a.(map[string]any)
	y, okB := b.(map[string]any)
	if okA && okB {
		for k := range x {
			if !reflect.DeepEqual(x[k], y[k]) {
				return difference(path+" / "+k, x[k], y[k])
			}
		}
		for k := range y {
			if _, ok := x[k]; !ok {
				return path + " / " + k, nil, y[k]
			}
		}
	}
	l, okA := a.([]any)
	m, okB := b.([]any)
	if okA && okB && len(l) == len(m) {
		for i := range l {
			if !reflect.DeepEqual(l[i], m[i]) {
				return difference(fmt.Sprintf("%s / %d", path, i), l[i], m[i])
			}
		}
	}
	return path, a, b
}
