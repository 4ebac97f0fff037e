package master

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// fromAbove returns a job as the node's forwarder sends it.
func fromAbove(t *testing.T, tgt string, kwargs ...any) wire.PublishLoad {
	t.Helper()
	p, err := loadFromAbove(jid.NewGenerator(time.Now, 0).Next(), tgt, kwargs...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func loadFromAbove(jid, tgt string, kwargs ...any) (wire.PublishLoad, error) {
	p := wire.PublishLoad{TgtType: "glob", JID: jid}
	var errs []error
	for field, v := range map[*wire.Raw]any{&p.Tgt: tgt, &p.Fun: "test.ping", &p.Arg: []any{}, &p.Kwargs: wire.NewMap(kwargs...)} {
		var err error
		*field, err = wire.Encode(v)
		errs = append(errs, err)
	}
	return p, errors.Join(errs...)
}

// failing is a store that fails while it is set to.
type failing struct {
	returners.JobStore
	now atomic.Bool
}

func (f *failing) Commit(ctx context.Context, b returners.Batch) (returners.Result, error) {
	if f.now.Load() {
		return returners.Result{}, errors.New("no space left on device")
	}
	return f.JobStore.Commit(ctx, b)
}

// Publishing through the forwarder obeys the same rules as over the wire, and reports the outcome
// of a job by error type.
func TestPublishFromTheForwarder(t *testing.T) {
	r := newRig(t, func(c *config.Master) {
		c.PublisherAclBlacklist = map[string]any{"modules": []any{"cmd.exec_*"}}
		c.PublisherAcl = map[string]any{"root": []any{"test.echo"}} // does not restrict the master's own user
	})
	disk := &failing{}
	r.opts.wrapStore = func(s returners.JobStore) returners.JobStore { disk.JobStore = s; return disk }
	r.accept("m1", "minion")
	r.open()
	ctx := t.Context()
	early, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	if err := r.Publish(early, fromAbove(t, "m1")); !errors.Is(err, ErrNotNow) {
		t.Errorf("before requests are served: %v", err)
	}
	r.serve()
	m := r.minion("m1", "minion", "minion").listen().announce()
	events := r.events()
	job := fromAbove(t, "m1", "user", "sudo_ann")
	if err := r.Publish(ctx, job); err != nil {
		t.Fatal(err)
	}
	if got := m.hear(); got.JID != job.JID || got.User != "sudo_ann" {
		t.Errorf("published %#v", got)
	}
	events.take("salt/job/" + job.JID + "/new")
	if err := r.Publish(ctx, job); err != nil { // a second path delivers the same job
		t.Errorf("the same job again: %v", err)
	}
	if err := r.Publish(ctx, fromAbove(t, "nosuch")); !errors.Is(err, ErrNoMatch) || errors.Is(err, ErrNotNow) {
		t.Errorf("no minion matches: %v", err)
	}

	deep := any("x")
	for range r.cfg.Bounds.Depth + 1 {
		deep = []any{deep}
	}
	refused := map[string]wire.PublishLoad{
		"another job under its jid": fromAbove(t, "*"), "too deep": fromAbove(t, "m1", "metadata", deep),
		"held to less": fromAbove(t, "m1", "auth_list", []any{"test.echo"}), "forbidden": fromAbove(t, "m1"), "no function": fromAbove(t, "m1"),
	}
	for what, p := range refused {
		switch what {
		case "another job under its jid":
			p.JID = job.JID
		case "forbidden":
			p.Fun = wire.Raw("\xadcmd.exec_code")
		case "no function":
			p.Fun = wire.Raw{0x03}
		}
		var no server.Refusal
		if err := r.Publish(ctx, p); !errors.As(err, &no) || errors.Is(err, ErrNotNow) || errors.Is(err, ErrNoMatch) {
			t.Errorf("%s: %v", what, err)
		}
	}

	disk.now.Store(true)
	next := fromAbove(t, "m1")
	if err := r.Publish(ctx, next); !errors.Is(err, ErrNotNow) || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("while the disk is full: %v", err)
	}
	disk.now.Store(false)
	if err := r.Publish(ctx, next); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if got := m.hear(); got.JID != next.JID {
		t.Errorf("published %#v", got)
	}
}

// A panic in one publication affects neither others nor the node.
func TestInsideAPanicIsARefusal(t *testing.T) {
	r := newRig(t).start()
	err := r.server.Inside(t.Context(), "publish", wire.Raw{0x80}, func(context.Context) error { panic("broken") })
	var no server.Refusal
	if !errors.As(err, &no) || r.stats.Panics.Load() != 1 {
		t.Errorf("%v, %d panics", err, r.stats.Panics.Load())
	}
}
