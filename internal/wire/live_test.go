package wire_test

import (
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

// open decrypts a ciphertext with a recorded key.
func open(t testing.TB, key string, cipher []byte) []byte {
	t.Helper()
	c, err := crypt.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := c.Open(cipher)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// envelope parses an outer map and checks that it is encoded to the same bytes.
func envelope(t testing.TB, b []byte) wire.Envelope {
	t.Helper()
	env, err := wire.ParseEnvelope(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := env.Encode()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "envelope packed again", again, b)
	return env
}

// typed parses a load by its cmd.
func typed(raw wire.Raw) (wire.Encoder, error) {
	cmd, err := wire.Field(raw, "cmd")
	if err != nil {
		return nil, err
	}
	name, _ := wire.Str(cmd)
	switch name {
	case "_return":
		return wire.ParseReturn(raw)
	case "_syndic_return":
		return wire.ParseSyndicReturn(raw)
	case "_minion_event":
		return wire.ParseMinionEvent(raw)
	}
	return nil, wire.ErrMissing
}

// Requests of real minions and syndics, from the envelope to every field and back.
func TestRequestsAsSalt(t *testing.T) {
	for name, version := range map[string]int{"live_v2_requests.json": 2, "live_v3_requests.json": 3} {
		var file struct {
			Rows []struct {
				Outer   recorded `json:"outer"`
				Key     string   `json:"key_string"`
				Load    recorded `json:"load"`
				Request []byte   `json:"request"`
				Reply   []byte   `json:"reply"`
				Value   recorded `json:"reply_value"`
			} `json:"rows"`
		}
		vectors.Load(t, name, &file)
		cmds := map[string]int{}
		for i, row := range file.Rows {
			if row.Request == nil { // a pillar request, whose bytes were not recorded
				continue
			}
			env := envelope(t, row.Request)
			outer, err := wire.Without(row.Request, "load")
			if err != nil {
				t.Fatal(err)
			}
			same(t, "outer fields", outer, row.Outer.Raw)
			if !env.Encrypted() || env.Version != version || (env.ID != "") != (version == 3) {
				t.Errorf("%s row %d: envelope %+v", name, i, env)
			}
			plain := open(t, row.Key, env.Cipher)
			nonce := wire.Raw(nil)
			if version >= 2 {
				if nonce, err = wire.Field(plain, "nonce"); err != nil {
					t.Fatal(err)
				}
			}
			same(t, "load", plain, row.Load.Raw)

			l, err := typed(plain)
			if err != nil {
				t.Fatalf("%s row %d: %v", name, i, err)
			}
			again, err := l.Encode()
			if err != nil {
				t.Fatal(err)
			}
			same(t, "load packed again", again, plain)
			cmd, _ := wire.Field(plain, "cmd")
			s, _ := wire.Str(cmd)
			cmds[s]++

			cipher, err := wire.Bytes(wire.Raw(row.Reply))
			if err != nil {
				t.Fatal(err)
			}
			n, _ := wire.Str(nonce)
			c, _ := crypt.ParseKey(row.Key)
			value, err := c.OpenNonce(cipher, n)
			if err != nil {
				t.Fatal(err)
			}
			if row.Value.Raw == nil { // null in the file
				row.Value.Raw = wire.Raw{0xc0}
			}
			same(t, "reply", value, row.Value.Raw)
			if reply, _ := wire.Encode(cipher); string(reply) != string(row.Reply) {
				t.Errorf("%s row %d: reply packs to other bytes", name, i)
			}
		}
		for _, cmd := range []string{"_return", "_syndic_return", "_minion_event"} {
			if cmds[cmd] < 3 {
				t.Errorf("%s: %d loads of %s, want 3 or more", name, cmds[cmd], cmd)
			}
		}
	}
}

// The clear publish loads of clients, and what a master stores of them.
func TestPublishLoadsAsSalt(t *testing.T) {
	var cases []struct {
		Name    string   `json:"name"`
		Load    recorded `json:"load"`
		Request []byte   `json:"request"`
		Decoded recorded `json:"decoded"`
		Reply   []byte   `json:"reply"`
	}
	vectors.Load(t, "publish.json", &cases)
	for _, c := range cases {
		env := envelope(t, c.Request)
		if env.Encrypted() || env.Cipher != nil {
			t.Errorf("%s: taken for encrypted", c.Name)
		}
		same(t, c.Name, env.Load, c.Load.Raw)
		if c.Decoded.Raw != nil {
			same(t, c.Name+" reply", c.Reply, c.Decoded.Raw)
		}
		p, err := wire.ParsePublishLoad(env.Load)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if key, _ := wire.Field(p.Full, "key"); key != nil {
			t.Errorf("%s: the load to be stored holds the key", c.Name)
		}
		for _, secret := range []string{"token", "password"} {
			if given, _ := wire.Field(p.Kwargs, secret); given == nil {
				continue
			}
			kwargs, _ := wire.Field(p.Full, "kwargs")
			if v, err := wire.Field(kwargs, secret); v != nil || err != nil {
				t.Errorf("%s: the load to be stored holds the %s", c.Name, secret)
			}
		}
	}
	if len(cases) < 10 {
		t.Errorf("%d loads", len(cases))
	}
}

type pubRow struct {
	Frames [][]byte `json:"frames"`
	Load   recorded `json:"load"`
	Signed bool     `json:"signed"`
	Serial int64    `json:"serial"`
	Key    string   `json:"aes_key_string"`
}

func checkPublication(t *testing.T, row pubRow) {
	t.Helper()
	env := envelope(t, row.Frames[len(row.Frames)-1])
	if (len(env.Sig) > 0) != row.Signed {
		t.Errorf("signature of %d bytes, signed is %v", len(env.Sig), row.Signed)
	}
	plain := open(t, row.Key, env.Cipher)
	p, err := wire.ParsePublication(plain)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "publication", p.Full, row.Load.Raw)
	if p.Serial != row.Serial || !p.HasSerial {
		t.Errorf("serial %d, want %d", p.Serial, row.Serial)
	}
	again, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "publication packed again", again, plain)
}

func TestPublicationsAsSalt(t *testing.T) {
	n := 0
	for _, name := range []string{"live_v2_publications.json", "live_v3_publications.json"} {
		var file struct {
			Rows []pubRow `json:"rows"`
		}
		vectors.Load(t, name, &file)
		for _, row := range file.Rows {
			checkPublication(t, row)
			n++
		}
	}
	var file struct {
		Sessions []struct {
			Minion []pubRow `json:"minion_publications"`
		} `json:"sessions"`
	}
	vectors.Load(t, "publications.json", &file)
	for _, s := range file.Sessions {
		for _, row := range s.Minion {
			checkPublication(t, row)
			n++
		}
	}
	if n < 50 {
		t.Errorf("only %d publications", n)
	}
}

// Events that the event publishers of real masters sent.
func TestEventsAsSalt(t *testing.T) {
	for name, length := range map[string]int{"live_v2_events.json": 0, "live_v3_events.json": 4} {
		type event struct {
			Tag   string   `json:"tag"`
			Data  recorded `json:"data"`
			Frame []byte   `json:"frame"`
		}
		var file struct{ Top, Lower []event }
		vectors.Load(t, name, &file)
		for _, e := range append(file.Top, file.Lower...) {
			body, err := wire.Field(e.Frame[length:], "body")
			if err != nil {
				t.Fatal(err)
			}
			bytes, err := wire.Bytes(body)
			if err != nil {
				t.Fatal(err)
			}
			tag, data, err := wire.ParseEvent(bytes)
			if err != nil {
				t.Fatal(err)
			}
			if tag != e.Tag {
				t.Errorf("tag %q, want %q", tag, e.Tag)
			}
			onWire, err := wire.ToWire(data)
			if err != nil {
				t.Fatal(err)
			}
			same(t, tag, onWire, e.Data.Raw)
			back, err := wire.ToBus(onWire)
			if err != nil {
				t.Fatal(err)
			}
			same(t, tag+" for the bus", back, data)
			if string(wire.EventBytes(tag, back)) != string(bytes) {
				t.Errorf("%s: event bytes differ", tag)
			}
		}
	}
}
