package tops

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/bounds"
	"github.com/momtree/mom/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// script writes a command that runs a shell script.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "classify")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// The output of a command becomes the states of the minion; a failing command yields none, and its
// error output is logged.
func TestExtNodes(t *testing.T) {
	for name, c := range map[string]struct {
		does string
		want map[string]any
		log  string
	}{
		"list":           {`echo "classes: [web, $1]"`, map[string]any{"base": []any{"web", "m1"}}, ""},
		"mapping":        {`echo "classes: {web: {}, db: null}"`, map[string]any{"base": []any{"web", "db"}}, ""},
		"environment":    {`echo "{environment: dev, classes: [a]}"`, map[string]any{"dev": []any{"a"}}, ""},
		"nothing":        {`true`, map[string]any{}, ""},
		"no classes":     {`echo "parameters: {}"`, map[string]any{}, ""},
		"a second word":  {`echo "classes: [$2]"`, map[string]any{"base": []any{}}, ""}, // the id is one argument, the last
		"it fails":       {`echo broken >&2; exit 3`, map[string]any{}, "exit status 3: broken"},
		"no mapping":     {`echo "[a]"`, map[string]any{}, "not a mapping"},
		"no YAML":        {`echo "a: ["`, map[string]any{}, "invalid YAML"},
		"without an end": {`yes x | head -c 2000000`, map[string]any{}, "more than 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			s, err := New(map[string]any{"ext_nodes": script(t, c.does)}, bounds.Bounds{}, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]any{}
			states := s.States(t.Context(), "m1")
			for _, k := range states.Keys() {
				got[k.(string)], _ = states.Get(k.(string))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\nlog: %s", diff, log.String())
			}
			if c.log == "" && log.Len() > 0 || !strings.Contains(log.String(), c.log) {
				t.Errorf("log: %s", log.String())
			}
		})
	}
}

// An id is an argument, whatever it contains: it is not parsed by a shell or as an option.
func TestExtNodes_HostileID(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there")
	s, err := New(map[string]any{"ext_nodes": script(t, `echo "classes: ['$*']"`)}, bounds.Bounds{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	id := "m1;touch " + there
	if got := s.States(t.Context(), id); !cmp.Equal(got.List("base"), []any{id}) {
		t.Errorf("%v", got)
	}
	if _, err := os.Stat(there); err == nil {
		t.Error("the id was run")
	}
	if got := s.States(t.Context(), "--all"); got.Len() != 0 {
		t.Errorf("an option: %v", got)
	}
}

// As in Salt, a source that does not exist yields no states and does not prevent the start.
func TestNew_IgnoresAnUnknownSource(t *testing.T) {
	var logged strings.Builder
	s, err := New(map[string]any{"cobbler": wire.NewMap()}, bounds.Bounds{}, slog.New(slog.NewTextHandler(&logged, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.States(t.Context(), "m"); got.Len() != 0 {
		t.Errorf("states %v", got)
	}
	if !strings.Contains(logged.String(), "cobbler") {
		t.Errorf("log %q does not name the source", logged.String())
	}
}

// Unsupported sources are refused by name at the start.
func TestNew_Refuses(t *testing.T) {
	for want, option := range map[string]map[string]any{
		"not a string":         {"ext_nodes": []any{"a"}},
		"is empty":             {"ext_nodes": " "},
		"No closing quotation": {"ext_nodes": "a 'b"},
	} {
		if _, err := New(option, bounds.Bounds{}, quiet); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", option, err)
		}
	}
}

// held is a source that blocks for one minion.
type held chan struct{}

func (h held) States(ctx context.Context, id string) (map[string][]string, error) {
	if id == "evil" {
		select {
		case <-h:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return map[string][]string{"base": {id}}, nil
}

// Attack: a minion keeps sending slow requests. Others are answered.
func TestStates_OneMinion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(map[string]any{"ext_nodes": "true"}, bounds.Bounds{}, quiet)
		if err != nil {
			t.Fatal(err)
		}
		h := make(held)
		s.tops["ext_nodes"] = h
		var wg sync.WaitGroup
		for range 3 * atOnce {
			wg.Go(func() { s.States(t.Context(), "evil") })
		}
		synctest.Wait()
		began := time.Now() // bubble time: the other minion's requests time out after 30 s
		if got := s.States(t.Context(), "m1"); len(got.List("base")) != 1 || time.Since(began) != 0 {
			t.Errorf("another minion gets %v after %s", got, time.Since(began))
		}
		close(h)
		wg.Wait()
	})
}
