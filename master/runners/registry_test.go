package runners

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func TestRun_APanicIsAnError(t *testing.T) {
	register(Function{Name: "test.panic", Run: func(context.Context, *Call) (any, error) { panic("boom") }})
	t.Cleanup(func() { delete(functions, "test.panic") })
	v, err := Run(t.Context(), &Call{Fun: "test.panic"})
	if v != nil || err == nil || err.Error() != "runner test.panic failed: boom" {
		t.Errorf("%v, %v", v, err)
	}
}

func TestRun_ErrorsOfTheStoreAreTold(t *testing.T) {
	broken := errors.New("the disk is gone")
	s := &stage{store: memory{err: broken}}
	for _, fun := range []string{"jobs.lookup_jid", "jobs.list_job", "jobs.print_job", "jobs.exit_success"} {
		if _, err := Run(t.Context(), &Call{Fun: fun, Args: []any{"1"}, Env: s}); !errors.Is(err, broken) {
			t.Errorf("%s: %v", fun, err)
		}
	}
	for _, fun := range []string{"jobs.list_jobs", "jobs.last_run"} {
		if _, err := Run(t.Context(), &Call{Fun: fun, Env: s}); !errors.Is(err, broken) {
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
	all, err := Run(t.Context(), &Call{Fun: "doc.runner"})
	if m, ok := all.(*wire.Map); err != nil || !ok || m.Len() != len(Names()) || !strings.Contains(m.String("jobs.active"), "no minion is asked") {
		t.Errorf("%v, %v", all, err)
	}
	for word, want := range map[string]string{
		"doc": "doc.runner", "jobs.active": "jobs.active", "nosuch": "", "job": "", "topology.trace": "topology.trace",
	} {
		if got := strings.Join(Docs(word), " "); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
	if len(Docs("")) != len(Names()) {
		t.Error("no word does not mean all functions")
	}
}
