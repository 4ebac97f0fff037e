package master

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

// Recordings of a newer Salt master with an older minion: the first sign-in of each run gets the
// same kind of answer here.
func TestMixedVersionsAsSalt(t *testing.T) {
	type file struct {
		Runs []struct {
			Master, Minion string
			Options        map[string]int `json:"master_options"`
			Exchanges      []struct {
				Request struct{ Version int } `json:"request_outer"`
				Cmd     string
				Reply   any
				Fields  []string `json:"signed_reply_fields"`
			}
		}
	}
	asked := 0
	for i, run := range readVectors[file](t, "interop.json").Runs {
		if run.Master != "v3" {
			continue // what the older master does is covered by tests of the Go minion
		}
		first := run.Exchanges[0]
		if first.Cmd != "_auth" {
			t.Fatalf("run %d begins with %q", i, first.Cmd)
		}
		asked++
		t.Run(fmt.Sprintf("%s at %s %v", run.Minion, run.Master, run.Options), func(t *testing.T) {
			r := newRig(t, func(m *config.Master) {
				if v, ok := run.Options["minimum_auth_version"]; ok {
					m.MinimumAuthVersion = v
				}
			})
			r.accept("m1", "minion")
			r.start()
			_, public := goldenPair(t, "minion")
			load, err := wire.Encode(wire.NewMap("cmd", "_auth", "id", "m1", "nonce", "0123456789abcdef0123456789abcdef", "pub", public))
			if err != nil {
				t.Fatal(err)
			}
			body, err := wire.Envelope{Enc: "clear", Load: load, Version: first.Request.Version, HasVersion: true}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			v, err := wire.Decode(r.ask(body))
			if err != nil {
				t.Fatal(err)
			}
			if len(first.Fields) == 0 {
				// Ours adds the reason, which the minion logs.
				if text, _ := v.(string); first.Reply == server.BadLoad && strings.HasPrefix(text, server.BadLoad+": protocol version") {
					return
				}
				if v != first.Reply {
					t.Errorf("reply %v, want %v", v, first.Reply)
				}
				return
			}
			outer, ok := v.(*wire.Map)
			if !ok {
				t.Fatalf("reply %v is not a signed answer", v)
			}
			inner, err := wire.DecodeMap(outer.Bytes("load"))
			if err != nil {
				t.Fatal(err)
			}
			var fields []string
			for _, k := range inner.Keys() {
				fields = append(fields, k.(string))
			}
			slices.Sort(fields)
			if !slices.Equal(fields, first.Fields) {
				t.Errorf("fields %v, want %v", fields, first.Fields)
			}
		})
	}
	if asked == 0 {
		t.Fatal("interop.json holds no run with the newer master")
	}
}
