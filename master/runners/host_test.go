package runners

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// hosted is a host whose events a test sees.
func hosted(ctx context.Context) (*Host, chan string) {
	events := make(chan string, 4*maxCalls)
	return NewHost(HostOptions{
		Ctx: ctx, ID: "top", MaxEvent: 1 << 10, Env: func(string) Env { return nil }, Now: time.Now,
		Fire: func(tag string, d *wire.Map) {
			if d.Bool("held") {
				tag += " held"
			}
			events <- tag
		},
	}), events
}

// As many calls as may be are at work, and no more; they end when the master does.
func TestHost_Bound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h, _ := hosted(ctx)
		for range maxCalls {
			if _, err := h.Start(&Call{Fun: "test.sleep", Args: []any{"1e6"}}, Start{JID: "1"}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if _, err := h.Start(&Call{Fun: "test.sleep"}, Start{JID: "2"}); !errors.Is(err, ErrBusy) {
			t.Errorf("beyond the bound: %v", err)
		}
		if !h.Running("1") || h.Running("2") {
			t.Error("who is at work is not known")
		}
		cancel()
		h.Close()
		if h.Running("1") {
			t.Error("it is at work still")
		}
	})
}

// A result that no event can hold is given to who has asked for it.
func TestHost_LargeResult(t *testing.T) {
	h, events := hosted(t.Context())
	defer h.Close()
	tag, err := h.Start(&Call{Fun: "test.arg", Args: []any{strings.Repeat("x", 2<<10)}}, Start{JID: "1", User: "fred", Owner: "fred"})
	if err != nil || tag != "salt/run/1" {
		t.Fatal(tag, err)
	}
	if a, b := <-events, <-events; a != tag+"/new" || b != tag+"/ret held" {
		t.Errorf("events %s, %s", a, b)
	}
	if _, ok := h.Result("1", "eve"); ok {
		t.Error("eve has the result of fred")
	}
	b, ok := h.Result("1", "fred")
	d, err := wire.DecodeMap(b)
	if !ok || err != nil || len(d.Map("return").List("args")) != 1 {
		t.Errorf("%v %v %v", ok, d, err)
	}
}
