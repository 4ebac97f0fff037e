//go:build saltpeer

package interop

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

// result is a command that has ended.
type result struct {
	line   string
	out    string
	errOut string
	code   int
	took   time.Duration
	end    time.Time
}

// patience bounds a command: three times what Salt needs for a silent tree.
const patience = 70 * time.Second

func command(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	return commandWithin(t, patience, c)
}

// commandWithin runs a command that may take as long as the limit.
func commandWithin(t *testing.T, limit time.Duration, c *exec.Cmd) result {
	t.Helper()
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	begin := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(limit, func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	err := c.Wait()
	r := result{line: strings.Join(c.Args, " "), out: out.String(), errOut: errOut.String(), took: time.Since(begin), end: time.Now()}
	if !timer.Stop() {
		t.Fatalf("%s: not over after %v\n%s\n%s", r.line, limit, r.out, r.errOut)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.code = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%s: %v", r.line, err)
	}
	return r
}

// json reads the standard output. Salt prints one document, or one per minion.
func (r result) json(t *testing.T) map[string]any {
	t.Helper()
	all := map[string]any{}
	d := json.NewDecoder(strings.NewReader(r.out))
	for d.More() {
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			t.Fatalf("%s: exit %d, no JSON: %v\n%s\n%s", r.line, r.code, err, r.out, r.errOut)
		}
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// ids lists the keys of the results, sorted and joined.
func (r result) ids(t *testing.T) string {
	t.Helper()
	var ids []string
	for id := range r.json(t) {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return strings.Join(ids, " ")
}

// text is the standard output and error, for messages.
func (r result) text() string { return r.out + r.errOut }

// want fails unless the result of a minion is as given.
func (r result) want(t *testing.T, id string, want any) {
	t.Helper()
	got, ok := r.json(t)[id]
	if !ok || !same(got, want) {
		t.Errorf("%s: %s gives %s, want %s (exit %d)\n%s", r.line, id, short(got), short(want), r.code, r.errOut)
	}
}

func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func short(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(b) > 300 {
		return string(b[:300]) + "…"
	}
	return string(b)
}
