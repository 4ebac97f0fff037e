package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Patience bounds a command: three times what Salt needs for a silent tree.
const Patience = 70 * time.Second

// Result is a command that has ended.
type Result struct {
	Line   string
	Out    string
	ErrOut string
	Code   int
	Took   time.Duration
	End    time.Time
}

// Command runs a command to its end, or kills it with all it has started after
// [Patience] or with ctx, which is an error.
func Command(ctx context.Context, c *exec.Cmd) (Result, error) {
	return CommandWithin(ctx, Patience, c)
}

// CommandWithin is [Command] with another limit than [Patience].
func CommandWithin(ctx context.Context, limit time.Duration, c *exec.Cmd) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	begin := time.Now()
	if err := c.Start(); err != nil {
		return Result{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	err := c.Wait()
	r := Result{Line: strings.Join(c.Args, " "), Out: out.String(), ErrOut: errOut.String(), Took: time.Since(begin), End: time.Now()}
	if !stop() {
		return r, fmt.Errorf("%s: not over after %v\n%s\n%s", r.Line, r.Took.Round(time.Second), r.Out, r.ErrOut)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.Code = exit.ExitCode()
	} else if err != nil {
		return r, fmt.Errorf("%s: %w", r.Line, err)
	}
	return r, nil
}

// JSON reads the standard output. Salt prints one document, or one per minion.
func (r Result) JSON() (map[string]any, error) {
	all := map[string]any{}
	d := json.NewDecoder(strings.NewReader(r.Out))
	for d.More() {
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			return nil, fmt.Errorf("%s: exit %d, no JSON: %w\n%s\n%s", r.Line, r.Code, err, r.Out, r.ErrOut)
		}
		for k, v := range m {
			all[k] = v
		}
	}
	return all, nil
}

// Text is the standard output and error, for messages.
func (r Result) Text() string { return r.Out + r.ErrOut }
