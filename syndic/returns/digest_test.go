package returns

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

func TestDigest(t *testing.T) {
	whole, _ := wire.Encode(wire.NewMap("id", "m1", "jid", "1", "fun", "x", "return", "a long result", "retcode", 2, "success", false, "fun_args", []any{"a"}))
	below, _ := wire.Encode(wire.NewMap("id", "m1", "jid", "1", "fun", "x", "return", wire.Trimmed, "retcode", 2, "success", false, wire.DigestField, 77))
	quiet, _ := wire.Encode(wire.NewMap("id", "m1", "jid", "1", "fun", "x", "return", wire.Trimmed, "retcode", 2, "success", false, wire.DigestField, -1))
	for _, c := range []struct {
		name string
		full wire.Raw
		body Body
		size int64 // 0: not trimmed
	}{
		{"whole goes whole", whole, Full, 0},
		{"whole becomes a digest", whole, Digest, int64(len(whole))},
		{"whole becomes quiet", whole, Quiet, -1},
		{"a digest stays one", below, Full, 77},
		{"a digest stays as it is", below, Digest, 77},
		{"a digest becomes quiet", below, Quiet, -1},
		{"quiet stays quiet", quiet, Full, -1},
	} {
		s := NewHandover(HandoverOptions{Body: func() Body { return c.body }})
		b := s.batch()
		if err := b.add(returners.Item{Kind: returners.KindReturn, JID: "1", ID: "m1", Payload: c.full}); err != nil {
			t.Fatal(c.name, err)
		}
		r := b.entries[0].returns.Map("m1")
		size, is := r.Get(wire.DigestField)
		if is != (c.size != 0) || is && size != c.size {
			t.Errorf("%s: %v", c.name, size)
		}
		r.Set("id", "m1")
		r.Set("jid", "1")
		r.Set("fun", "x")
		raw, err := wire.Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.ParseReturn(raw)
		if err != nil || got.Retcode != 2 || got.Success {
			t.Errorf("%s: retcode lost: %+v %v", c.name, got, err)
		}
		value, _ := wire.Str(got.Value)
		if (value == wire.Trimmed) != (c.size != 0) {
			t.Errorf("%s: the result is %q", c.name, value)
		}
	}
}
