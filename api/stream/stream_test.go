package stream

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

func take(t *testing.T, r *Reader, n int) []string {
	t.Helper()
	var out []string
	for range n {
		e, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Tag)
	}
	if e, ok, err := r.Try(); ok || err != nil {
		t.Fatalf("%v %v", e, err)
	}
	return out
}

func subscribe(t *testing.T, h *Hub, after string, tags ...string) (*Reader, *Gap) {
	t.Helper()
	f, err := NewFilter(tags)
	if err != nil {
		t.Fatal(err)
	}
	r, gap, err := h.Subscribe(f, Permissions{All: true}, after)
	if err != nil {
		t.Fatal(err)
	}
	return r, gap
}

// A reader gets the events of its tags, in order.
func TestTags(t *testing.T) {
	for name, c := range map[string]struct {
		tags []string
		want string
	}{
		"all":    {nil, "[salt/job/1/new salt/job/1/ret/web-01 minion/refresh/a salt/auth]"},
		"prefix": {[]string{"salt/job/"}, "[salt/job/1/new salt/job/1/ret/web-01]"},
		"glob":   {[]string{"salt/job/*/ret/web-*"}, "[salt/job/1/ret/web-01]"},
		"two":    {[]string{"salt/auth", "*refresh*"}, "[minion/refresh/a salt/auth]"},
		"none":   {[]string{"x"}, "[]"},
	} {
		h := New(Options{})
		r, _ := subscribe(t, h, "", c.tags...)
		n := 0
		for _, tag := range []string{"salt/job/1/new", "salt/job/1/ret/web-01", "minion/refresh/a", "salt/auth"} {
			h.Publish(tag, nil, Audience{})
			if strings.Contains(c.want, tag) {
				n++
			}
		}
		if got := fmt.Sprint(take(t, r, n)); got != c.want && n > 0 {
			t.Errorf("%s: %s", name, got)
		}
		r.Close()
		if h.Figures().Readers != 0 {
			t.Errorf("%s: a reader is left", name)
		}
	}
	if _, err := NewFilter(make([]string, maxPatterns+1)); err == nil {
		t.Error("any number of tags is taken")
	}
	if _, err := NewFilter([]string{strings.Repeat("x", maxPattern+1)}); err == nil {
		t.Error("a tag of any length is taken")
	}
}

// A slow reader is cut off, at the number and at the bytes; the others are not.
func TestSlowReaders(t *testing.T) {
	for name, o := range map[string]Options{"events": {Queue: 3}, "bytes": {QueueBytes: 3 * (1 + 100)}} {
		h := New(o)
		slow, _ := subscribe(t, h, "")
		fast, _ := subscribe(t, h, "")
		other, _ := subscribe(t, h, "", "nothing")
		for range 4 {
			h.Publish("x", make([]byte, 100), Audience{})
			take(t, fast, 1)
		}
		if _, err := slow.Next(t.Context()); !errors.Is(err, ErrSlow) {
			t.Errorf("%s: %v", name, err)
		}
		if f := h.Figures(); f.Readers != 2 || f.Cut != 1 {
			t.Errorf("%s: %+v", name, f)
		}
		if _, ok, err := other.Try(); ok || err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// One event may be as large as it is.
	h := New(Options{QueueBytes: 10})
	r, _ := subscribe(t, h, "")
	h.Publish("x", make([]byte, 100), Audience{})
	take(t, r, 1)
}

// A reader that comes back resumes where it was, or learns what it has missed.
func TestResume(t *testing.T) {
	h := New(Options{Epoch: "e", Keep: 3})
	for i := range 5 {
		h.Publish(fmt.Sprint("t", i+1), nil, Audience{})
	}
	for after, c := range map[string]struct {
		want string
		gap  *Gap
	}{
		"e-5": {"[]", nil}, "e-4": {"[t5]", nil}, "e-2": {"[t3 t4 t5]", nil}, "e-1": {"[t3 t4 t5]", &Gap{1}}, "e-0": {"[t3 t4 t5]", &Gap{2}},
		"other-4": {"[]", &Gap{}}, "e-9": {"[]", &Gap{}}, "e-x": {"[]", &Gap{}}, "nonsense": {"[]", &Gap{}}, "": {"[]", nil},
	} {
		r, gap := subscribe(t, h, after)
		if got := fmt.Sprint(take(t, r, strings.Count(c.want, "t"))); got != c.want || fmt.Sprint(gap) != fmt.Sprint(c.gap) {
			t.Errorf("%q: %s %v", after, got, gap)
		}
		r.Close()
	}
	r, _ := subscribe(t, h, "e-3")
	h.Publish("t6", nil, Audience{})
	if got := fmt.Sprint(take(t, r, 3)); got != "[t4 t5 t6]" {
		t.Errorf("%s", got)
	}
	// What is kept is bounded in bytes too.
	h = New(Options{KeepBytes: 250})
	for range 10 {
		h.Publish("x", make([]byte, 99), Audience{})
	}
	if f := h.Figures(); f.Kept != 2 || f.Events != 10 {
		t.Errorf("%+v", f)
	}
}

// A thousand readers get every event, while they read at the same time.
func TestManyReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{Queue: 100})
		const readers, events = 1000, 100
		got := make(chan int, readers)
		for range readers {
			r, _ := subscribe(t, h, "")
			go func() {
				n := 0
				for {
					if _, err := r.Next(t.Context()); err != nil {
						got <- n
						return
					}
					n++
				}
			}()
		}
		for i := range events {
			h.Publish(fmt.Sprint(i), nil, Audience{})
		}
		synctest.Wait()
		h.Close()
		for range readers {
			if n := <-got; n != events {
				t.Fatalf("a reader got %d events", n)
			}
		}
		if _, _, err := h.Subscribe(Filter{}, Permissions{}, ""); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}
