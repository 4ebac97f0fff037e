//go:build saltpeer

package interop

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/lab/peers"
)

// result is a command that has ended.
type result struct {
	line   string
	out    string
	errOut string
	code   int
	took   time.Duration
	end    time.Time
	ran    peers.Result
}

// command runs a command to its end; one that does not come to it fails the test.
func command(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	return commandWithin(t, peers.Patience, c)
}

// commandWithin runs a command that may take as long as the limit.
func commandWithin(t *testing.T, limit time.Duration, c *exec.Cmd) result {
	t.Helper()
	r, err := peers.CommandWithin(t.Context(), limit, c)
	if err != nil {
		t.Fatal(err)
	}
	return result{line: r.Line, out: r.Out, errOut: r.ErrOut, code: r.Code, took: r.Took, end: r.End, ran: r}
}

// json reads the standard output. Salt prints one document, or one per minion.
func (r result) json(t *testing.T) map[string]any {
	t.Helper()
	all, err := r.ran.JSON()
	if err != nil {
		t.Fatal(err)
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
