package daemons

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/momtree/mom/mom/saltcall"
	"github.com/momtree/mom/value"
)

// callerDeadline bounds one function that a reaction of the type caller runs.
const callerDeadline = time.Hour

// caller runs execution functions of this machine by salt-call --local, a process of its
// own: a master has no modules. As in Salt the calls are indirect.
func caller(dir string) func(ctx context.Context, fun string, args []any, kwargs *value.Map) error {
	return func(ctx context.Context, fun string, args []any, kwargs *value.Map) error {
		words, err := callerWords(dir, fun, args, kwargs)
		if err != nil {
			return err
		}
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("find this program: %w", err)
		}
		ctx, cancel := context.WithTimeout(ctx, callerDeadline)
		defer cancel()
		var out bytes.Buffer
		cmd := callerCommand(ctx, program, words)
		cmd.Stdout, cmd.Stderr = nil, &limited{to: &out}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("salt-call %s: %w: %s", fun, err, strings.TrimSpace(out.String()))
		}
		return nil
	}
}

// callerCommand is the command with the environment that makes its call indirect.
func callerCommand(ctx context.Context, program string, words []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, words...)
	cmd.Env = append(os.Environ(), saltcall.IndirectEnv+"=1")
	return cmd
}

// callerWords is the command line: values go as JSON, which is YAML.
func callerWords(dir, fun string, args []any, kwargs *value.Map) ([]string, error) {
	words := []string{"salt-call", "--local", "--retcode-passthrough", "-c", dir, "--", fun}
	word := func(v any) (string, error) {
		b, err := json.Marshal(value.Plain(v))
		return string(b), err
	}
	for _, a := range args {
		w, err := word(a)
		if err != nil {
			return nil, fmt.Errorf("argument of %s: %w", fun, err)
		}
		words = append(words, w)
	}
	var fault error
	kwargs.Range(func(k, v any) bool {
		w, err := word(v)
		if fault = err; err == nil {
			words = append(words, fmt.Sprintf("%v=%s", k, w))
		}
		return err == nil
	})
	return words, fault
}

// limited keeps the first 4 KiB of what a program says.
type limited struct{ to *bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := 4096 - l.to.Len(); room > 0 {
		l.to.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
