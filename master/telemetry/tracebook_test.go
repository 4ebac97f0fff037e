package telemetry

import (
	"strconv"
	"testing"
	"time"

	"github.com/momtree/mom/topology/trace"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func after(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

func TestBook(t *testing.T) {
	b := NewTraceBook()
	b.Returned("1", noon) // of a job it does not know
	b.Received("1", noon)
	b.Received("1", after(9))
	b.Published("1", after(1))
	b.Returned("1", after(2))
	b.Returned("1", after(3))
	b.Closed("1", after(4))
	if m, ok := b.Moments("1"); !ok || m != (trace.Moments{Received: noon, Published: after(1), First: after(2), Last: after(3), Closed: after(4)}) {
		t.Errorf("%+v %v", m, ok)
	}
	for i := range maxJobs + 5 {
		b.Received("j"+strconv.Itoa(i), noon)
	}
	if b.jobs.Len() != maxJobs {
		t.Errorf("%d jobs are remembered", b.jobs.Len())
	}
	if _, ok := b.Moments("1"); ok {
		t.Error("the oldest job is not forgotten")
	}
	if _, ok := b.Moments("j" + strconv.Itoa(maxJobs+4)); !ok {
		t.Error("the latest job is not known")
	}
}
