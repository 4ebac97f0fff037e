//go:build saltpeer

package minion

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

// shellJudge calls each function of a plan as in a job of a Salt minion.
const shellJudge = `
import json

import salt.minion


def ask(path):
    with open(path) as f:
        plan = json.load(f)
    out = []
    for call in plan:
        func = __salt__[call["fun"]]
        data = {"fun": call["fun"], "jid": "20240101000000000001", "tgt": "*", "tgt_type": "glob", "ret": "", "user": "root", "arg": call["args"]}
        try:
            args, kwargs = salt.minion.load_args_and_kwargs(func, call["args"], data=data)
            ret = func(*args, **kwargs)
        except Exception:
            ret = "!error"
        out.append(ret)
    __context__["retcode"] = 0
    return out
`

// TestShell_SaltSays compares [shellAnswers] with the answers of the Salt at SALT_PEER. With
// -record it writes the file.
func TestShell_SaltSays(t *testing.T) {
	peer := os.Getenv("SALT_PEER")
	if peer == "" {
		t.Fatal("SALT_PEER names no Salt")
	}
	said := map[string]map[string]any{}
	for _, safe := range []bool{true, false} {
		b := newShellBed(t, safe)
		b.write(t, "modules/judge.py", shellJudge)
		plan := []map[string]any{}
		for _, c := range b.calls {
			args := []any{}
			for _, a := range c.Args {
				args = append(args, value.Plain(a))
			}
			plan = append(plan, map[string]any{"fun": c.Fun, "args": args})
		}
		raw, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		b.write(t, "plan.json", string(raw))
		cmd := exec.CommandContext(t.Context(), filepath.Join(peer, "bin", "salt-call"), "-c", b.dir, "--local", "--out=json", "--no-color", "judge.ask", filepath.Join(b.dir, "plan.json"))
		cmd.Env = append(os.Environ(), "HOME="+filepath.Join(b.dir, "home"), "SHELL=/bin/sh")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("salt-call: %v\n%s%s", err, out, failure(err))
		}
		var printed struct{ Local []any }
		if err := json.Unmarshal(out, &printed); err != nil || len(printed.Local) != len(b.calls) {
			t.Fatalf("%v: %d answers for %d calls\n%s", err, len(printed.Local), len(b.calls), out)
		}
		answers := map[string]any{}
		for i, c := range b.calls {
			answers[b.key(t, i, c)] = b.digest(printed.Local[i])
		}
		said[fmt.Sprintf("cmd_safe_%t", safe)] = answers
	}
	text, err := json.MarshalIndent(said, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if *recordSalt {
		if err := os.WriteFile(shellAnswers, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(shellAnswers)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(kept), string(text)+"\n"); d != "" {
		t.Errorf("Salt answers otherwise (-kept +now):\n%s", d)
	}
}

// failure returns what a failed program wrote to its standard error.
func failure(err error) []byte {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}
