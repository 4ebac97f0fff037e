package sequence

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// extra returns the fields of a load as a reader of loads keeps unknown fields.
func extra(t testing.TB, load *wire.Map) *wire.Map {
	t.Helper()
	b, err := wire.Encode(load)
	if err != nil {
		t.Fatal(err)
	}
	out := wire.NewMap()
	if err := wire.Fields(b, func(key string, val wire.Raw) error {
		out.Set(key, val)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		value any // of the field; nil means absent
		want  Mark
		bad   bool
	}{
		"absent":             {nil, Mark{}, false},
		"a mark":             {[]any{7, 6}, Mark{7, 6}, false},
		"above int64":        {[]any{uint64(1<<63 + 2), uint64(1 << 63)}, Mark{1<<63 + 2, 1 << 63}, false},
		"one number":         {[]any{7}, Mark{}, true},
		"oldest above":       {[]any{7, 8}, Mark{}, true},
		"none before":        {[]any{7, 0}, Mark{}, true},
		"below 0":            {[]any{7, -1}, Mark{}, true},
		"texts":              {[]any{"7", "6"}, Mark{}, true},
		"fractions":          {[]any{7.5, 6.0}, Mark{}, true},
		"no list":            {"7", Mark{}, true},
		"map in the list":    {[]any{wire.NewMap(), 1}, Mark{}, true},
		"three numbers":      {[]any{7, 6, 5}, Mark{}, true},
		"number of the life": {[]any{1795267649816965123, 1795267649816965122}, Mark{1795267649816965123, 1795267649816965122}, false},
	} {
		t.Run(name, func(t *testing.T) {
			load := wire.NewMap("cmd", "_minion_event")
			if c.value != nil {
				load.Set(field, c.value)
			}
			got, err := Read(extra(t, load))
			if got != c.want || (err != nil) != c.bad {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	if m, err := Read(nil); m != (Mark{}) || err != nil {
		t.Errorf("no fields: %v, %v", m, err)
	}
}

func TestMarkOverTheWire(t *testing.T) {
	load := wire.NewMap("cmd", "_minion_event")
	Put(load, Mark{9, 8})
	if m, err := Read(extra(t, load)); m != (Mark{9, 8}) || err != nil {
		t.Errorf("got %v, %v", m, err)
	}
	answer, err := wire.Encode(Late{Mark{9, 12}}.Answer())
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := ReadLate(answer); n != 12 || !ok {
		t.Errorf("got %d, %v", n, ok)
	}
	for _, v := range []wire.Raw{nil, {0xc0}, {0xa0}, {0x80}, {0x81, 0xa4, 'l', 'a', 't', 'e', 0xc0}} {
		if n, ok := ReadLate(v); ok {
			t.Errorf("% x is read as late before %d", []byte(v), n)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, v := range []any{nil, []any{7, 6}, []any{7}, "7", []any{-1, uint64(1 << 63)}, wire.NewMap(lateField, 7)} {
		b, err := wire.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Read(wire.NewMap(field, wire.Raw(b)))
		if err == nil && (m.Oldest == 0 || m.Oldest > m.Number) {
			t.Errorf("% x is read as %v", b, m)
		}
		if n, ok := ReadLate(b); ok && n == 0 {
			t.Errorf("% x is read as late before 0", b)
		}
	})
}
