package modules

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/momtree/mom/value"
)

func TestTable(t *testing.T) {
	table := &Table{}
	second, endSecond, err := table.Begin(t.Context(), value.NewMap("jid", "2", "fun", "test.sleep"))
	if err != nil {
		t.Fatal(err)
	}
	_, endFirst, err := table.Begin(t.Context(), value.NewMap("jid", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := table.Begin(t.Context(), value.NewMap("jid", "1")); err == nil {
		t.Error("a jid that runs was taken again")
	}
	if jobs := table.Running(); len(jobs) != 2 || jobs[0].JID != "1" || jobs[1].JID != "2" {
		t.Errorf("running = %+v", jobs)
	}
	if err := table.Signal("2", syscall.SIGCONT); err != nil || second.Err() != nil {
		t.Errorf("SIGCONT: %v, context %v; want neither", err, second.Err())
	}
	if err := table.Signal("2", syscall.SIGKILL); err != nil || second.Err() == nil {
		t.Errorf("SIGKILL: %v, context %v; want an ended one", err, second.Err())
	}
	var signal *SignalledError
	if !errors.As(context.Cause(second), &signal) || signal.Signal != syscall.SIGKILL {
		t.Errorf("cause = %v", context.Cause(second))
	}
	endFirst()
	endSecond()
	if _, ok := table.Find("2"); ok {
		t.Error("an ended job is found")
	}
	if err := table.Signal("2", syscall.SIGTERM); !errors.Is(err, ErrNoJob) {
		t.Errorf("err = %v, want ErrNoJob", err)
	}
	if _, ok := table.Cached("2"); ok {
		t.Error("a table without a cache has a kept return")
	}
}
