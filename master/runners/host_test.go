package runners

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/value"
)

// hosted returns a Host and a channel with its events.
func hosted(ctx context.Context) (*Host, chan string) {
	events := make(chan string, 4*maxCalls)
	return NewHost(NewCalls(CallsOptions{
		Ctx: ctx, ID: "top", MaxEvent: 1 << 10, Now: time.Now,
		Fire: func(tag string, d *wire.Map) {
			if d.Bool("held") {
				tag += " held"
			}
			events <- tag
		},
	}), func(access.Owner) Env { return nil }), events
}

// No more than maxCalls calls run at once, and all end with the master.
func TestHost_Bound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h, _ := hosted(ctx)
		for range maxCalls {
			if _, err := h.Start(Bind(Request{Fun: "test.sleep", Args: []any{"1e6"}}), Start{JID: "1"}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if _, err := h.Start(Bind(Request{Fun: "test.sleep"}), Start{JID: "2"}); !errors.Is(err, ErrBusy) {
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

// A result that exceeds an event's size can be fetched by the caller.
func TestHost_LargeResult(t *testing.T) {
	h, events := hosted(t.Context())
	defer h.Close()
	tag, err := h.Start(Bind(Request{Fun: "test.arg", Args: []any{strings.Repeat("x", 2<<10)}}), Start{JID: "1", User: "fred", Owner: "fred"})
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

// Arguments and result of a private function reach the caller alone, and neither the bus nor the
// job cache.
func TestHost_Private(t *testing.T) {
	var events []*wire.Map
	h := NewHost(NewCalls(CallsOptions{
		Ctx: t.Context(), ID: "top", MaxEvent: 1 << 20, Now: time.Now,
		Fire: func(_ string, d *wire.Map) { events = append(events, d) },
	}), func(access.Owner) Env { return &stage{} })
	c := func(password string) Bound {
		return Bind(Request{Fun: "auth.mk_token", Kwargs: wire.NewMap("username", "fred", "password", password, "eauth", "file")})
	}
	if _, err := h.Start(c("right"), Start{JID: "1", Keep: true}); !errors.Is(err, ErrPrivate) {
		t.Errorf("into the job cache: %v", err)
	}
	for jid, password := range map[string]string{"2": "right", "3": "wrong"} {
		events = nil
		if _, err := h.Start(c(password), Start{JID: jid, User: "root"}); err != nil {
			t.Fatal(err)
		}
		h.wg.Wait()
		for _, e := range events {
			if text := fmt.Sprint(value.Plain(e)); strings.Contains(text, password) || strings.Contains(text, "abc") || strings.Contains(text, "refused") {
				t.Errorf("fired %s", text)
			}
			if args := e.List("fun_args"); len(args) > 0 { // even arguments that no mask covers
				t.Errorf("fired with arguments %v", args)
			}
		}
		b, ok := h.Result(jid, "")
		d, err := wire.DecodeMap(b)
		if !ok || err != nil || d.Bool("success") != (password == "right") {
			t.Errorf("%s: %v, %v, %v", password, ok, d, err)
		}
		if password == "right" && d.Map("return").String("token") != "abc" {
			t.Errorf("the caller has %v", d)
		}
	}
	h.Close()
}

// Progress of a call is on the bus before its result, under its job id, and the call is listed as
// in progress.
func TestHost_Progress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h *Host
		var fired, atWork []string
		h = NewHost(NewCalls(CallsOptions{
			Ctx: t.Context(), ID: "top", MaxEvent: 1 << 20, Now: time.Now,
			Fire: func(tag string, d *wire.Map) {
				fired = append(fired, tag+" "+d.String("message")+d.String("text"))
				for _, w := range h.AtWork() {
					atWork = append(atWork, w.JID+w.Fun+w.User)
				}
			},
		}), func(access.Owner) Env { return &stage{} })
		if _, err := h.Start(Bind(Request{Fun: "test.stream"}), Start{JID: "7", User: "fred"}); err != nil {
			t.Fatal(err)
		}
		h.wg.Wait()
		if len(fired) != 101 || fired[0] != "salt/run/7/new " || fired[1] != "salt/run/7/progress Runner is 1% done" || fired[100] != "salt/run/7/ret " {
			t.Errorf("%d events: %q", len(fired), fired)
		}
		if len(atWork) == 0 || atWork[len(atWork)-1] != "7test.streamfred" || len(h.AtWork()) > 0 {
			t.Errorf("at work: %v", atWork)
		}
		h.Close()
	})
}
