package client

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/wire"
)

const runTag = "salt/run/" + jobID

// runs lets the fake master fire the result of a runner before it answers.
func (m *fakeMaster) runs(ret ...any) {
	m.answer = func(load *wire.Map) any {
		m.fire(runTag+"/new", "fun", "runner.x")
		m.fire("salt/run/other/ret", "return", "another", "success", true)
		m.fire(runTag+"/ret", ret...)
		return wire.NewMap("tag", runTag, "jid", jobID)
	}
}

func TestRunner(t *testing.T) {
	m := startMaster(t)
	m.runs("return", []any{"a"}, "success", true)
	v, err := m.client().CallRunner(within(t), RunnerCall{Fun: "manage.up", Args: []any{"x"}, Kwargs: map[string]any{"k": "v"}})
	if err != nil || v.String() != `["a"]` {
		t.Errorf("%v, %v", v, err)
	}
	sent := m.seen()[0]
	if kw := sent.Map("kwarg"); sent.String("fun") != "manage.up" || kw.Len() != 2 || kw.Map("kwarg").String("k") != "v" || kw.List("arg")[0] != "x" || sent.Has("timeout") {
		t.Errorf("sent %#v", sent)
	}
}

func TestRunnerThatFails(t *testing.T) {
	m := startMaster(t)
	m.runs("return", "Exception: no", "success", false)
	_, err := m.client().Runner(within(t), "x.y")
	var failed *RunnerError
	if !errors.As(err, &failed) || failed.Reason != "Exception: no" || failed.Fun != "x.y" || failed.Value != nil {
		t.Errorf("%+v", err)
	}
	m.change(func() { m.runs("return", []any{"half"}, "error", "timed out", "success", false) })
	if _, err = m.client().Runner(within(t), "x.y"); !errors.As(err, &failed) || failed.Reason != "timed out" || failed.Value == nil {
		t.Errorf("%+v", err)
	}
}

func TestRunnerIsRefused(t *testing.T) {
	m := startMaster(t)
	m.answer = func(*wire.Map) any {
		return wire.NewMap("error", wire.NewMap("name", "SaltRunnerError", "message", "too many"))
	}
	_, err := m.client().Runner(within(t), "x.y")
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "runner x.y") {
		t.Errorf("%v", err)
	}
	m.change(func() { m.answer = func(*wire.Map) any { return wire.NewMap() } })
	if _, err = m.client().Runner(within(t), "x.y"); err == nil {
		t.Error("an answer without tag is none")
	}
}

func TestRunnerLosesTheBus(t *testing.T) {
	m := startMaster(t)
	m.answer = func(*wire.Map) any {
		go m.server.Close()
		return wire.NewMap("tag", runTag)
	}
	if _, err := m.client().Runner(within(t), "x.y"); !errors.Is(err, ErrBusLost) {
		t.Errorf("%v", err)
	}
}

func TestStartRunner(t *testing.T) {
	m := startMaster(t)
	m.answer = func(*wire.Map) any { return wire.NewMap("tag", runTag) }
	run, err := m.client().StartRunner(within(t), RunnerCall{Fun: "x.y", JID: jobID, Timeout: 2 * time.Second})
	if err != nil || run.Tag != runTag {
		t.Errorf("%+v, %v", run, err)
	}
	if got := m.seen()[0]; !got.Bool("async") || got.String("jid") != jobID || got.Float("timeout") != 2 {
		t.Errorf("sent %#v", got)
	}
}

// A busy master may finish a runner before it has registered a new reader of its bus. The client
// waits for the registration before it calls the runner.
func TestRunnerOfABusyMaster(t *testing.T) {
	m := startMaster(t)
	m.runs("return", "a", "success", true)
	noticed := make(chan struct{})
	m.asked = sync.OnceFunc(func() { close(noticed) })
	dir, err := os.MkdirTemp("", "mc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, bus.MasterPubName))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		<-noticed
		real, err := net.Dial("unix", m.server.PubAddr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer real.Close()
		_, _ = io.Copy(c, real) // until the server ends
	})
	t.Cleanup(func() {
		m.asked()
		_ = l.Close()
		_ = m.server.Close()
		wg.Wait()
	})
	c := m.client(func(o *Options) { o.Bus.Dir = dir })
	if v, err := c.Runner(within(t), "x.y"); err != nil || v.String() != `"a"` {
		t.Errorf("%v, %v", v, err)
	}
}

// Progress events of a runner are delivered in order and before the result; those of others are
// not delivered.
func TestRunnerProgress(t *testing.T) {
	m := startMaster(t)
	m.answer = func(*wire.Map) any {
		m.fire(runTag+"/new", "fun", "runner.x")
		m.fire(runTag+"/progress", "message", "half")
		m.fire("salt/run/other/progress", "message", "of another")
		m.fire(runTag+"/print", "text", "a line")
		m.fire(runTag+"/ret", "return", "a", "success", true)
		return wire.NewMap("tag", runTag, "jid", jobID)
	}
	var events []string
	_, err := m.client().CallRunner(within(t), RunnerCall{Fun: "x.y", Progress: func(what string, e Event) {
		events = append(events, what+" "+e.Data.String())
		if e.Time.IsZero() {
			t.Errorf("%s has no time", e.Tag)
		}
	}})
	if got := strings.Join(events, "; "); err != nil || got != `progress {"message": "half"}; print {"text": "a line"}` {
		t.Errorf("%s, %v", got, err)
	}
}
