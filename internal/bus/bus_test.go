package bus

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 123456789, time.FixedZone("east", 3600))

func clock() time.Time { return noon }

func tags(s *Subscription) []string {
	var out []string
	for {
		select {
		case e, ok := <-s.C():
			if !ok {
				return out
			}
			out = append(out, e.Tag)
		default:
			return out
		}
	}
}

func TestWhoGetsWhat(t *testing.T) {
	b := New(clock)
	subs := map[string]*Subscription{
		"all":      b.Subscribe(SubscribeOptions{}),
		"job 1":    b.Subscribe(SubscribeOptions{Prefix: "salt/job/1/"}),
		"two ways": b.Subscribe(SubscribeOptions{Prefixes: []string{"salt/job/1/", "salt/"}}),
		"or":       b.Subscribe(SubscribeOptions{Prefixes: []string{"1", "salt/job/1/", "1"}}),
		"match":    b.Subscribe(SubscribeOptions{Match: func(e Event) bool { return strings.HasSuffix(e.Tag, "new") }}),
		"both":     b.Subscribe(SubscribeOptions{Prefix: "salt/", Match: func(e Event) bool { return strings.HasSuffix(e.Tag, "new") }}),
		"empty":    b.Subscribe(SubscribeOptions{Prefixes: []string{"", "x"}}),
	}
	fired := []string{"1", "salt/job/1/new", "salt/job/1/ret/m1", "salt/job/2/new", "key", "other/new"}
	for _, tag := range fired {
		if err := b.Fire(tag, wire.NewMap()); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string][]string{
		"all": fired, "empty": fired,
		"job 1":    {"salt/job/1/new", "salt/job/1/ret/m1"},
		"two ways": {"salt/job/1/new", "salt/job/1/ret/m1", "salt/job/2/new"},
		"or":       {"1", "salt/job/1/new", "salt/job/1/ret/m1"},
		"match":    {"salt/job/1/new", "salt/job/2/new", "other/new"},
		"both":     {"salt/job/1/new", "salt/job/2/new"},
	}
	for name, s := range subs {
		if diff := cmp.Diff(want[name], tags(s)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if st := b.Stats(); st.Subscribers != 7 || st.Fired != 6 {
		t.Errorf("%+v", st)
	}
	for _, s := range subs {
		s.Close()
		s.Close()
	}
	if st := b.Stats(); st.Subscribers != 0 || len(b.lengths) != 0 || len(b.byPrefix) != 0 {
		t.Errorf("something is left: %+v %v", st, b.lengths)
	}
}

func TestFireMakesTheEvent(t *testing.T) {
	b := New(clock)
	s := b.Subscribe(SubscribeOptions{})
	raw := pack(t, wire.NewMap("a", 1))
	for _, data := range []any{wire.NewMap("a", 1), raw, map[string]any{"a": 1}, wire.NewMap("_stamp", "old", "a", 1)} {
		if err := b.Fire("t", data); err != nil {
			t.Fatal(err)
		}
		e := <-s.C()
		if string(e.Data) != string(raw) || !e.Stamp.Equal(noon.Truncate(time.Microsecond)) || e.Stamp.Location() != time.UTC {
			t.Errorf("%v: %x at %v", data, e.Data, e.Stamp)
		}
		got, err := e.Bytes()
		if want := "t\n\n\x82\xa1a\x01\xa6_stamp\xba2026-11-21T11:00:00.123456"; err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	if err := b.FireEvent(Event{Tag: "t", Data: raw, Stamp: noon.Add(time.Hour), Origin: "s1", Copy: true}); err != nil {
		t.Fatal(err)
	}
	if e := <-s.C(); e.Origin != "s1" || !e.Copy || !e.Stamp.Equal(noon.Add(time.Hour).Truncate(time.Microsecond)) {
		t.Errorf("%+v", e)
	}
}

func TestFireRefuses(t *testing.T) {
	b := New(clock)
	if err := b.Fire("", wire.NewMap()); !errors.Is(err, ErrTag) {
		t.Error(err)
	}
	if err := b.Fire("a\n\nb", wire.NewMap()); !errors.Is(err, ErrTag) {
		t.Error(err)
	}
	for _, data := range []any{nil, "text", []any{}, wire.Raw{0xc1}, wire.Raw("\x81"), struct{}{}} {
		if err := b.Fire("t", data); err == nil {
			t.Errorf("%#v fired", data)
		}
	}
	b.Close()
	if err := b.Fire("t", wire.NewMap()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, ok := <-b.Subscribe(SubscribeOptions{}).C(); ok {
		t.Error("a closed bus gives events")
	}
}

// The bytes of an event are encoded once for all who hold it.
func TestBytesAreShared(t *testing.T) {
	b := New(clock)
	s1, s2 := b.Subscribe(SubscribeOptions{}), b.Subscribe(SubscribeOptions{})
	if err := b.Fire("t", wire.NewMap("a", 1)); err != nil {
		t.Fatal(err)
	}
	x, _ := (<-s1.C()).Bytes()
	y, _ := (<-s2.C()).Bytes()
	if &x[0] != &y[0] {
		t.Error("made twice")
	}
}

func TestSlowReaderIsCutOff(t *testing.T) {
	b := New(clock)
	slow := b.Subscribe(SubscribeOptions{Size: 2, Prefix: "t"})
	lossy := b.Subscribe(SubscribeOptions{Size: 2, DropWhenFull: true})
	quick := b.Subscribe(SubscribeOptions{Size: 10})
	for i := range 5 {
		if err := b.Fire(fmt.Sprintf("t%d", i), wire.NewMap()); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"t0", "t1"}, tags(slow)); diff != "" || !slow.Lost() || slow.Dropped() != 1 {
		t.Errorf("slow: %s lost %v, dropped %d", diff, slow.Lost(), slow.Dropped())
	}
	if _, ok := <-slow.C(); ok {
		t.Error("the channel of a reader cut off is open")
	}
	if diff := cmp.Diff([]string{"t0", "t1"}, tags(lossy)); diff != "" || lossy.Lost() || lossy.Dropped() != 3 {
		t.Errorf("lossy: %s lost %v, dropped %d", diff, lossy.Lost(), lossy.Dropped())
	}
	if n := len(tags(quick)); n != 5 || quick.Lost() {
		t.Errorf("quick got %d", n)
	}
	if st := b.Stats(); st.Cut != 1 || st.Dropped != 3 || st.Subscribers != 2 {
		t.Errorf("%+v", st)
	}
	quick.Close()
	if _, ok := <-quick.C(); ok || quick.Lost() {
		t.Error("Close counts as loss or leaves the channel open")
	}
}

// A subscriber whose bytes are bounded gets one event of any size, and otherwise no more than
// fit.
func TestBytesThatWait(t *testing.T) {
	b := New(clock)
	s := b.Subscribe(SubscribeOptions{Size: 100, Bytes: 10_000, DropWhenFull: true})
	fire := func(n int) uint64 {
		t.Helper()
		if err := b.Fire("t", wire.NewMap("x", strings.Repeat("x", n))); err != nil {
			t.Fatal(err)
		}
		return s.Dropped()
	}
	for i, c := range []struct {
		bytes   int
		dropped uint64
	}{{20_000, 0}, {10, 1}, {0, 1}, {4000, 1}, {4000, 1}, {4000, 2}, {1000, 2}} {
		if c.bytes == 0 {
			s.Took(<-s.C())
			continue
		}
		if n := fire(c.bytes); n != c.dropped {
			t.Errorf("%d: %d dropped, want %d", i, n, c.dropped)
		}
	}
}

func TestManyFireAndCome(t *testing.T) {
	b := New(nil)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 300 {
				if err := b.Fire(fmt.Sprintf("t/%d/%d", w, i), wire.NewMap("i", i)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 100 {
				s := b.Subscribe(SubscribeOptions{Prefix: fmt.Sprintf("t/%d/", w), Size: 3})
				for range 2 {
					select {
					case e, ok := <-s.C():
						if ok {
							_, _ = e.Bytes()
						}
					default:
					}
				}
				s.Close()
			}
		})
	}
	wg.Wait()
	if st := b.Stats(); st.Fired != 1200 || st.Subscribers != 0 {
		t.Errorf("%+v", st)
	}
	b.Close()
}

func TestTrim(t *testing.T) {
	big, small := strings.Repeat("b", 600), strings.Repeat("s", 90)
	for name, c := range map[string]struct{ data, want *wire.Map }{
		"the big one goes":    {wire.NewMap("a", big, "b", small, "n", 1), wire.NewMap("a", trimmed, "b", small, "n", 1)},
		"inside maps too":     {wire.NewMap("m", wire.NewMap("a", big, "b", small)), wire.NewMap("m", wire.NewMap("a", trimmed, "b", small))},
		"a list goes whole":   {wire.NewMap("l", []any{big, big}, 7, "x"), wire.NewMap("l", trimmed, 7, "x")},
		"then smaller ones":   {wire.NewMap("a", small, "b", small, "c", small, "d", small, "e", small, "f", small, "g", "x"), nil},
		"then maps":           {wire.NewMap("m", manyKeys(200), "id", "m1"), wire.NewMap("m", trimmed, "id", "m1")},
		"nothing need not go": {wire.NewMap("a", small), wire.NewMap("a", small)},
	} {
		out, err := trim(pack(t, c.data), 500, 0)
		if err != nil || len(out) > 500 {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
		if c.want != nil && string(out) != string(pack(t, c.want)) {
			j, _ := wire.ToJSON(out)
			t.Errorf("%s: %s", name, j)
		}
	}
	b := NewBus(Options{MaxEventSize: 500})
	s := b.Subscribe(SubscribeOptions{})
	if err := b.Fire("t", manyKeys(500)); err != nil {
		t.Fatal(err)
	}
	if _, err := (<-s.C()).Bytes(); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

func manyKeys(n int) *wire.Map {
	m := wire.NewMap()
	for i := range n {
		m.Set(fmt.Sprint(i), i)
	}
	return m
}

// A byte that is not UTF-8 makes the bus form longer than the wire form; the limit holds
// nevertheless.
func TestTrimCountsBusBytes(t *testing.T) {
	m := wire.NewMap()
	for i := range 300 {
		m.Set(fmt.Sprint(i), "\xff")
	}
	b := NewBus(Options{MaxEventSize: 2200})
	s := b.Subscribe(SubscribeOptions{})
	if err := b.Fire("t", wire.NewMap("m", m, "id", "m1")); err != nil {
		t.Fatal(err)
	}
	got, err := (<-s.C()).Bytes()
	if err != nil || len(got) > 2200+3 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func BenchmarkFire(b *testing.B) {
	bus := New(nil)
	for i := range 1000 { // as many jobs that are being followed
		s := bus.Subscribe(SubscribeOptions{Prefix: fmt.Sprintf("salt/job/%020d/", i)})
		defer s.Close()
	}
	data := pack(b, wire.NewMap("id", "m1", "return", true, "retcode", 0, "jid", "20240102030405678901", "fun", "test.ping"))
	b.ReportAllocs()
	for b.Loop() {
		if err := bus.Fire("salt/job/20240102030405678901/ret/m1", data); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	frame := appendFrame(nil, nil, []byte("t\n\n\x80"))
	f.Add(frame)
	f.Add(append(lengthOf(frame), frame...))
	f.Add([]byte("\x00\x00\x00\x00"))
	f.Add([]byte("\xc1"))
	f.Add([]byte("\x82\xa4head\x80\xa4body\x80"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newFrameReader(strings.NewReader(string(b)), 1<<16)
		for {
			_, body, err := r.next()
			if err != nil {
				return
			}
			e, err := ParseEvent(body, noon)
			if err != nil {
				continue
			}
			out, err := e.Bytes()
			if err != nil {
				if errors.Is(err, ErrTooLarge) || errors.Is(err, wire.ErrKey) {
					continue
				}
				t.Fatal(err)
			}
			again, err := ParseEvent(out, noon)
			if err != nil || again.Tag != e.Tag || !again.Stamp.Equal(e.Stamp) {
				t.Errorf("%q %v, again %q %v, %v", e.Tag, e.Stamp, again.Tag, again.Stamp, err)
			}
		}
	})
}
