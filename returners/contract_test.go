package returners

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRegistry(t *testing.T) {
	want := errors.New("opened")
	open := func(_ context.Context, o Options) (Saver, error) {
		return nil, fmt.Errorf("%v: %w", o.Value("test.file"), want)
	}
	good := Driver{Name: "test", Doc: "Writes test.file.", Options: []string{"test.file"}, Open: open}
	Register(good)
	t.Cleanup(func() { delete(registry.drivers, "test") })
	values := map[string]any{"test.file": "a", "other.test.file": "b", "third.test.file": "None"}
	for prefix, file := range map[string]string{"": "a", "other": "b", "third": "a"} {
		if _, err := Open(t.Context(), "test", Options{Values: values, Prefix: prefix}); !errors.Is(err, want) || err.Error() != file+": opened" {
			t.Errorf("got %v", err)
		}
	}
	if _, err := Open(t.Context(), "test", Options{}); err.Error() != "<nil>: opened" {
		t.Errorf("got %v", err)
	}
	if _, err := Open(t.Context(), "tset", Options{}); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "use one of: test") {
		t.Errorf("got %v", err)
	}
	for name, d := range map[string]Driver{
		"twice":                 good,
		"no name":               {Doc: "x", Open: open},
		"no documentation":      {Name: "x", Open: open},
		"no code":               {Name: "x", Doc: "x"},
		"another's option":      {Name: "x", Doc: "test.file", Options: []string{"test.file"}, Open: open},
		"option not documented": {Name: "x", Doc: "x", Options: []string{"x.file"}, Open: open},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: registered", name)
				}
			}()
			Register(d)
		}()
	}
}

// A returner for minions is not automatically a job cache.
func TestOpenStore(t *testing.T) {
	Register(Driver{Name: "saver", Doc: "Takes returns.", Open: func(context.Context, Options) (Saver, error) { panic("opened") }})
	t.Cleanup(func() { delete(registry.drivers, "saver") })
	if _, err := OpenStore(t.Context(), "saver", Options{}); !errors.Is(err, ErrNoStore) {
		t.Error(err)
	}
	if _, err := OpenStore(t.Context(), "nosuch", Options{}); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestMerge(t *testing.T) {
	base := Expectation{JID: "1", Minions: []string{"a", "b"}, Missing: map[string]string{"c": "down"}}
	for _, c := range []struct {
		name    string
		later   Expectation
		minions []string
		missing map[string]string
		changed bool
	}{
		{"the same", base, []string{"a", "b"}, map[string]string{"c": "down"}, false},
		{"nothing", Expectation{}, []string{"a", "b"}, map[string]string{"c": "down"}, false},
		{"one more", Expectation{Minions: []string{"d"}}, []string{"a", "b", "d"}, map[string]string{"c": "down"}, true},
		{"came back", Expectation{Minions: []string{"c"}}, []string{"a", "b", "c"}, map[string]string{}, true},
		{"went away", Expectation{Missing: map[string]string{"a": "gone"}}, []string{"b"}, map[string]string{"a": "gone", "c": "down"}, true},
		{"other reason", Expectation{Missing: map[string]string{"c": "gone"}}, []string{"a", "b"}, map[string]string{"c": "gone"}, true},
		{"in both", Expectation{Minions: []string{"c"}, Missing: map[string]string{"c": "down"}}, []string{"a", "b"}, map[string]string{"c": "down"}, false},
	} {
		got, changed := base.Merge(c.later)
		if changed != c.changed || cmp.Diff(c.minions, got.Minions) != "" || cmp.Diff(c.missing, got.Missing) != "" {
			t.Errorf("%s: %v, %v, changed %v", c.name, got.Minions, got.Missing, changed)
		}
	}
	for _, c := range []struct{ have, later, want string }{
		{"", StateAnswered, StateAnswered},
		{"silent", StateAnswered, StateAnswered},
		{StateAnswered, "", StateAnswered},
		{StateAdopted, StateAnswered, StateAnswered},
		{StateAnswered, StateAdopted, StateAnswered},
		{"", StateAdopted, ""}, // the node may have received the job
	} {
		if got, changed := (Expectation{State: c.have}).Merge(Expectation{State: c.later}); got.State != c.want || changed != (c.have != c.want) {
			t.Errorf("%q, then %q: %q, changed %v", c.have, c.later, got.State, changed)
		}
	}
	if len(base.Missing) != 1 || base.Missing["c"] != "down" {
		t.Errorf("Merge changed its receiver: %v", base)
	}
}

func TestFilterMatchesOddLoads(t *testing.T) {
	for _, raw := range []string{"", "\xc0", "\x93\x01\x02\x03", "\x81\xa3fun\x05", "\x81\xa3fun", "\x81\xa3fun\x92\xa1a\xc0"} {
		l := Load{Raw: []byte(raw)}
		if !(Filter{WithoutFindJob: true}).Match(l) || (Filter{Target: []string{"*"}}).Match(l) {
			t.Errorf("%q: funs %q, targets %q", raw, l.Funs(), l.Targets())
		}
	}
}

func TestClass(t *testing.T) {
	for err, want := range map[error]string{
		nil: "", ErrRejected: "rejected", ErrInvalid: "rejected", ErrUnavailable: "unavailable", ErrFull: "full",
		ErrCorrupt: "corrupt", ErrClosed: "closed", context.DeadlineExceeded: "timeout", errors.New("x"): "other",
	} {
		if err != nil {
			err = fmt.Errorf("doing: %w", err)
		}
		if got := Class(err); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}

func FuzzDecodeEvent(f *testing.F) {
	b, err := EncodeEvent(Event{Key: "k", Tag: "t", Data: []byte{0x81, 0xa1, 'a', 0xc3}, MasterID: "m", At: time.UnixMicro(5).UTC()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("\x85\xa1k"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := DecodeEvent(b)
		if err != nil {
			return
		}
		again, err := EncodeEvent(e)
		if err != nil {
			t.Fatal(err)
		}
		if e2, err := DecodeEvent(again); err != nil || e2.Tag != e.Tag || e2.Key != e.Key || !e2.At.Equal(e.At) {
			t.Errorf("%+v became %+v, %v", e, e2, err)
		}
	})
}

func FuzzDecodeExpectation(f *testing.F) {
	b, err := EncodeExpectation(Expectation{JID: "1", Node: "a/b", Minions: []string{"x", "y"}, Missing: map[string]string{"z": "down"}, At: time.UnixMicro(5).UTC()})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("\x85\xa1m\xdd\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := DecodeExpectation(b)
		if err != nil {
			return
		}
		again, err := EncodeExpectation(e)
		if err != nil {
			t.Fatal(err)
		}
		if e2, err := DecodeExpectation(again); err != nil || !reflect.DeepEqual(e.Minions, e2.Minions) || e2.JID != e.JID {
			t.Errorf("%+v became %+v, %v", e, e2, err)
		}
	})
}
