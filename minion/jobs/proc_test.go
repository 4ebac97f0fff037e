package jobs

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

func FuzzParseProc(f *testing.F) {
	good, _ := wire.Encode(wire.NewMap("pid", 7, "jid", "1", "fun", "test.ping", "arg", []any{}, "tgt", "*"))
	f.Add([]byte(good))
	f.Add([]byte{0x80})
	f.Add([]byte{0xdf, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := parseProc("1", b)
		if err != nil {
			return
		}
		if p.by.PID <= 0 || p.load.String("jid") != "1" {
			t.Fatalf("took %#v", p)
		}
		_, _ = publicationOf(p.load)
	})
}
