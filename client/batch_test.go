package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/batchstate"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

func TestBatchSize(t *testing.T) {
	for _, c := range []struct {
		text    string
		minions int
		want    int // 0: an error
	}{
		{"3", 10, 3},
		{"30", 10, 10},
		{"1", 0, 1},
		{"50%", 10, 5},
		{"%50", 10, 5},
		{"50%", 3, 1},
		{"1%", 10, 1},
		{"150%", 10, 10},
		{"0.5%", 1000, 5},
		{"1e300", 10, 10},
		{"0", 10, 0},
		{"0%", 10, 0},
		{"-1", 10, 0},
		{"1.5", 10, 0},
		{"abc", 10, 0},
		{"", 10, 0},
		{"%", 10, 0},
		{"nan", 10, 0},
		{"inf%", 10, 0},
	} {
		o := Batch{Size: c.text}
		got, err := o.Slots(c.minions)
		if got != c.want || (c.want == 0) != (err != nil) || (o.Validate() == nil) != (err == nil) {
			t.Errorf("%q of %d: %d, %v", c.text, c.minions, got, err)
		}
	}
}

// answering lets the minions of the fake master answer each job at once: those of a list, or
// web-1 to web-3. A repeated job id extends the job: its account counts all minions. A minion
// called away is missing, and those in fails return 3. asked returns the jobs so far.
func (m *fakeMaster) answering(fails ...string) (asked func() []string) {
	var jobs []string
	counts, returned := map[string]int{}, map[string]int{}
	m.answer = func(load *wire.Map) any {
		ids := load.Strings("tgt")
		if ids == nil {
			ids = []string{"away", "web-1", "web-2", "web-3"}
		}
		fun := load.String("fun")
		jobs = append(jobs, fun+" "+strings.Join(ids, ","))
		jid := load.String("jid")
		if jid == "" {
			jid = fmt.Sprintf("202603011200000000%02d", len(jobs))
		} else { // the end of the previous round arrives late
			m.fire("salt/job/"+jid+"/complete", "jid", jid, "expected", counts[jid], "returned", returned[jid], "failed", 0, "missing", wire.NewMap(), "seconds", 1)
			m.fire("salt/job/"+jid+"/ret/other", "id", "other", "jid", jid, "return", true, "retcode", 0, "fun", fun, "success", true)
		}
		counts[jid] += len(ids)
		gone := wire.NewMap()
		for _, id := range ids {
			if id == "away" {
				gone.Set(id, wire.NewMap("reason", "Not connected", "path", ""))
				continue
			}
			code := 0
			if fun != "test.ping" && slices.Contains(fails, id) {
				code = 3
			}
			var v any = true
			if fun == "sys.list_functions" {
				v = []any{"x.y", "x." + id}
			}
			m.fire("salt/job/"+jid+"/ret/"+id, "id", id, "jid", jid, "return", v, "retcode", code, "fun", fun, "success", code == 0)
			returned[jid]++
		}
		m.fire("salt/job/"+jid+"/complete", "jid", jid, "expected", counts[jid], "returned", returned[jid], "failed", 0, "missing", gone, "seconds", 1)
		return wire.NewMap("load", wire.NewMap("jid", jid, "minions", ids, "missing", []any{}, "nodes", []any{}))
	}
	return func() []string {
		m.mu.Lock()
		defer m.mu.Unlock()
		return slices.Clone(jobs)
	}
}

// rounds runs a batch to its end.
func rounds(t *testing.T, b *Batching) (got []string, end *Account) {
	t.Helper()
	for {
		u, err := b.Next(within(t))
		switch {
		case err != nil:
			t.Fatal(err)
		case u.Ended != nil:
			return got, u.Ended
		case u.Begins != nil:
			got = append(got, "begins "+strings.Join(u.Begins, ","))
		case u.Started != "":
			got = append(got, "job "+u.Started[18:])
		case u.Return != nil:
			got = append(got, u.JID[18:]+" "+u.Return.ID)
		}
		if u.Stopped != "" {
			got = append(got, "stopped for "+u.Stopped)
		}
	}
}

func TestBatch(t *testing.T) {
	m := startMaster(t)
	asked := m.answering("web-2")
	b, err := m.client().Batch(within(t), Job{Tgt: "x|web-*", TgtType: "grain", Fun: []string{"x.y"}, Extra: map[string]any{"delimiter": "|", "metadata": 1}}, Batch{Size: "1", Wait: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	got, end := rounds(t, b)
	want := "begins web-1; job 02; 02 web-1; begins web-2; job 02; 02 web-2; begins web-3; job 02; 02 web-3"
	if strings.Join(got, "; ") != want {
		t.Errorf("got %s", strings.Join(got, "; "))
	}
	if b.Asked.JID[18:] != "01" || end.Returned != 2 || end.Failed != 1 || end.Expected != 4 || end.Missing["away"].Reason != "Not connected" {
		t.Errorf("%+v", end)
	}
	if got := asked(); strings.Join(got, "; ") != "test.ping away,web-1,web-2,web-3; x.y web-1; x.y web-2; x.y web-3" {
		t.Errorf("asked %v", got)
	}
	for i, load := range m.seen() {
		if kw := load.Map("kwargs"); kw.Has("delimiter") != (i == 0) || kw.Has("metadata") != (i > 0) {
			t.Errorf("kwargs %#v", kw)
		}
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestBatchStops(t *testing.T) {
	m := startMaster(t)
	m.answering("web-1")
	b, err := m.client().Batch(within(t), Job{Tgt: "*", Fun: []string{"x.y"}}, Batch{Size: "50%", FailHard: true})
	if err != nil {
		t.Fatal(err)
	}
	got, end := rounds(t, b)
	if want := "begins web-1; job 02; 02 web-1; stopped for web-1"; strings.Join(got, "; ") != want || end.Failed != 1 || end.Returned != 0 {
		t.Errorf("got %s, %+v", strings.Join(got, "; "), end)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := m.client().Batch(within(t), ping("*"), Batch{Size: "none"}); err == nil {
		t.Error("that is no size")
	}
}

// A batch ends while it waits if it is closed or its context ends.
func TestBatchIsClosed(t *testing.T) {
	m := startMaster(t)
	m.answering()
	b, err := m.client().Batch(within(t), Job{Tgt: "*", Fun: []string{"x.y"}}, Batch{Size: "1"})
	if err != nil {
		t.Fatal(err)
	}
	m.change(func() {
		m.answer = func(*wire.Map) any { // no minion returns
			return wire.NewMap("load", wire.NewMap("jid", jobID, "minions", []any{"web-1"}, "missing", []any{}, "nodes", []any{}))
		}
	})
	for range 2 {
		if _, err := b.Next(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(within(t))
	cancel()
	if _, err := b.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if _, err := b.Next(within(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestSubset(t *testing.T) {
	m := startMaster(t)
	m.answering()
	c := m.client()
	for fun, want := range map[string][]string{"x.y": {"web-1", "web-2", "web-3"}, "x.web-2": {"web-2"}} {
		j, err := c.Subset(within(t), Job{Tgt: "*", Fun: []string{"x.y", fun}, Extra: map[string]any{"delimiter": "|"}}, 5)
		if err != nil || !slices.Equal(c.Named(j), want) || len(j.Extra) != 0 {
			t.Errorf("%s: %+v, %v", fun, j, err)
		}
	}
	if j, err := c.Subset(within(t), Job{Tgt: "*", Fun: []string{"x.y"}}, 2); err != nil || len(c.Named(j)) != 2 {
		t.Errorf("%+v, %v", j, err)
	}
	for _, n := range []int{0, 5} {
		if _, err := c.Subset(within(t), Job{Tgt: "*", Fun: []string{[]string{"x.y", "no.such"}[min(n, 1)]}}, n); !errors.Is(err, ErrNoMatch) {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// A master shows a running batch of a command, and can halt it: no further minion starts.
func TestBatch_IsReportedAndHalted(t *testing.T) {
	m := startMaster(t)
	m.answering()
	sub := m.bus.Subscribe(bus.SubscribeOptions{Prefix: batchstate.TagPrefix, Size: 100})
	defer sub.Close()
	var last *batchstate.State
	var event func() string
	event = func() string { // the action of the next event about the batch
		t.Helper()
		select {
		case e := <-sub.C():
			id, action := batchstate.ReadTag(e.Tag)
			d, err := e.Map()
			if d.String("reason") != "" { // ours, below
				return event()
			}
			if err != nil || id == "" || d.Map("state") == nil || d.String("driver") != batchstate.DriverCLI {
				t.Fatalf("%s %v: %v", e.Tag, d, err)
			}
			raw, err := wire.Encode(d.Map("state"))
			if err != nil {
				t.Fatal(err)
			}
			if last, err = batchstate.Decode(raw); err != nil || last.JID != id {
				t.Fatalf("%+v, %v", last, err)
			}
			return action
		case <-within(t).Done():
			t.Fatal("no event about the batch")
		}
		return ""
	}
	job := Job{Tgt: "web-*", Fun: []string{"x.y"}, Args: []any{"secret"}}
	b, err := m.client().Batch(within(t), job, Batch{Size: "1"})
	if err != nil {
		t.Fatal(err)
	}
	rounds(t, b)
	if a, z := event(), event(); a != batchstate.ActionNew || z != batchstate.ActionComplete || len(last.Done) != 3 || last.Tgt != "web-*" || last.User == "" || strings.Contains(string(last.Arg), "secret") {
		t.Errorf("reported as %s, %s, %+v", a, z, last)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	b, err = m.client().Batch(within(t), job, Batch{Size: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for u := (BatchUpdate{}); u.Started == ""; {
		if u, err = b.Next(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if a := event(); a != batchstate.ActionNew || len(last.Active) != 1 || len(last.Pending) != 2 {
		t.Errorf("reported as %s, %+v", a, last)
	}
	m.change(func() { // no further minion returns
		m.answer = func(load *wire.Map) any {
			return wire.NewMap("load", wire.NewMap("jid", load.String("jid"), "minions", load.Strings("tgt"), "missing", []any{}, "nodes", []any{}))
		}
	})
	m.fire(batchstate.TagPrefix+last.JID+"/halted", "jid", last.JID, "reason", "enough")
	for u := (BatchUpdate{}); u.Halted == ""; {
		if u, err = b.Next(within(t)); err != nil || u.Ended != nil {
			t.Fatalf("%+v, %v", u, err)
		}
		if u.Halted != "" && u.Halted != "enough" {
			t.Errorf("halted: %s", u.Halted)
		}
	}
	m.fire("salt/job/"+last.JID+"/complete", "jid", last.JID, "expected", 2, "returned", 1, "failed", 0, "missing", wire.NewMap("web-2", wire.NewMap("reason", "x")), "seconds", 1)
	if got, end := rounds(t, b); end.Returned > 1 || strings.Contains(strings.Join(got, " "), "web-3") {
		t.Errorf("after the halt: %q, %+v", got, end)
	}
	for last.Halted = false; !last.Halted; {
		if a := event(); a != batchstate.ActionProgress && a != batchstate.ActionHalted {
			t.Errorf("reported as %s", a)
		}
	}
	if !last.Halted || last.Reason != "enough" {
		t.Errorf("ended as %+v", last)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// A command that ends before its batch reports that the batch is halted.
func TestBatch_CloseIsReported(t *testing.T) {
	m := startMaster(t)
	m.answering()
	b, err := m.client().Batch(within(t), Job{Tgt: "*", Fun: []string{"x.y"}}, Batch{Size: "1"})
	if err != nil {
		t.Fatal(err)
	}
	for u := (BatchUpdate{}); u.Started == ""; {
		if u, err = b.Next(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	sub := m.bus.Subscribe(bus.SubscribeOptions{Prefix: batchstate.TagPrefix, Size: 100, Match: func(e bus.Event) bool { return strings.HasSuffix(e.Tag, "/halted") }})
	defer sub.Close()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-sub.C():
	case <-within(t).Done():
		t.Error("not reported")
	}
}

// A command that does not read the account of its batch reports that it is complete.
func TestBatch_CloseAfterTheLastReturn(t *testing.T) {
	m := startMaster(t)
	m.answering()
	b, err := m.client().Batch(within(t), Job{Tgt: "*", Fun: []string{"x.y"}}, Batch{Size: "100%"})
	if err != nil {
		t.Fatal(err)
	}
	sub := m.bus.Subscribe(bus.SubscribeOptions{Prefix: batchstate.TagPrefix, Size: 100})
	defer sub.Close()
	for !b.state.Over() {
		if _, err := b.Next(within(t)); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for action := ""; action != batchstate.ActionComplete; {
		select {
		case e := <-sub.C():
			if _, action = batchstate.ReadTag(e.Tag); action == batchstate.ActionHalted {
				t.Fatal("reported as halted")
			}
		case <-within(t).Done():
			t.Fatal("not reported")
		}
	}
}
