package runners

import (
	"errors"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func TestRun_ErrorsOfTheStoreAreReturned(t *testing.T) {
	broken := errors.New("the disk is gone")
	s := &stage{store: memory{err: broken}}
	for _, fun := range []string{"jobs.lookup_jid", "jobs.list_job", "jobs.print_job", "jobs.exit_success"} {
		if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: fun, Args: []any{"1"}}), Env: s}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", fun, err)
		}
	}
	for _, fun := range []string{"jobs.list_jobs", "jobs.last_run"} {
		if _, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: fun}), Env: s}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", fun, err)
		}
	}
}

func TestEveryFunctionIsDocumented(t *testing.T) {
	for _, name := range Names() {
		f, _ := Lookup(name)
		if !strings.Contains(f.Doc, "salt-run "+name) {
			t.Errorf("%s: no example of a call in %q", name, f.Doc)
		}
		for _, a := range f.Args {
			if a = strings.TrimSuffix(a, "="); a != "*" && !strings.Contains(f.Doc, a) && !strings.Contains(f.Doc, "jobs.list_jobs") {
				t.Errorf("%s: its argument %s is not documented", name, a)
			}
		}
	}
}

func TestDocs(t *testing.T) {
	for fun, has := range map[string]string{"doc.runner": "jobs.active", "doc.wheel": "key.accept"} {
		all, err := Run(t.Context(), &Call{Bound: Bind(Request{Fun: fun})})
		if m, ok := all.(*wire.Map); err != nil || !ok || m.String(has) == "" {
			t.Errorf("%s: %v, %v", fun, all, err)
		}
	}
}
