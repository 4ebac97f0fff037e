package zmtp

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReady(t *testing.T) {
	prop := func(name, value string) string { return string(appendProperty(nil, name, value)) }
	long := string(make([]byte, 256))
	for _, c := range []struct {
		name string
		body string
		want ready
		ok   bool
	}{
		{"SUB", prop("Socket-Type", "SUB"), ready{socketType: "SUB"}, true},
		{"REQ", prop("Socket-Type", "REQ") + prop("Identity", "m\x00\xff"), ready{"REQ", "m\x00\xff"}, true},
		{"any case", prop("SOCKET-type", "REQ") + prop("identity", "a"), ready{"REQ", "a"}, true},
		{"unknown property", prop("X-Foo", long) + prop("Socket-Type", "REQ"), ready{socketType: "REQ"}, true},
		{"nothing", "", ready{}, false},
		{"no type", prop("Identity", "a"), ready{}, false},
		{"type twice", prop("Socket-Type", "REQ") + prop("socket-type", "SUB"), ready{}, false},
		{"empty type twice", prop("Socket-Type", "") + prop("socket-type", ""), ready{}, false},
		{"identity twice", prop("Socket-Type", "REQ") + prop("Identity", "") + prop("Identity", "b"), ready{}, false},
		{"identity too long", prop("Socket-Type", "REQ") + prop("Identity", long), ready{}, false},
		{"name of no length", "\x00\x00\x00\x00\x00", ready{}, false},
		{"name cut short", "\x0bSocket", ready{}, false},
		{"name without length of value", "\x0bSocket-Type\x00\x00", ready{}, false},
		{"value cut short", "\x0bSocket-Type\x00\x00\x00\x04REQ", ready{}, false},
		{"value of 4 GiB", "\x0bSocket-Type\xff\xff\xff\xffREQ", ready{}, false},
		{"what kills zmq4", "\x05a", ready{}, false},
	} {
		got, err := parseReady([]byte(c.body))
		if c.ok != (err == nil) || err != nil && !errors.Is(err, ErrReady) {
			t.Errorf("%s: error %v", c.name, err)
		} else if c.ok && got != c.want {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, got, cmp.AllowUnexported(ready{})))
		}
	}
}

func TestCompatible(t *testing.T) {
	pairs := map[string][]string{
		"ROUTER": {"REQ", "DEALER"}, "PUB": {"SUB", "XSUB"}, "REQ": {"ROUTER", "REP"}, "SUB": {"PUB", "XPUB"},
	}
	for local, peers := range pairs {
		for _, peer := range []string{"", "REQ", "REP", "DEALER", "ROUTER", "PUB", "XPUB", "SUB", "XSUB", "PUSH", "PULL", "PAIR", "what?"} {
			want := peer == peers[0] || peer == peers[1]
			if compatible(local, peer) != want {
				t.Errorf("%s with %s: want %v", local, peer, want)
			}
			_, err := handshake(newScript(100, greeting(1), readyFrame(peer, "")), limitsForTest(), nil, ready{socketType: local}, true)
			if (err == nil) != want {
				t.Errorf("handshake of %s with %s: %v", local, peer, err)
			}
		}
	}
}

func FuzzReady(f *testing.F) {
	f.Add(appendReady(nil, ready{"REQ", "salt-req/minion/m1/0"}))
	f.Add([]byte("\x05a"))
	f.Add([]byte("\x0bSocket-Type\xff\xff\xff\xffREQ"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseReady(b)
		if err == nil {
			again, err := parseReady(appendReady(nil, r))
			if err != nil || again != r {
				t.Fatalf("%+v became %+v, %v", r, again, err)
			}
		}
		if len(b) < 255 {
			c := newScript(5, greeting(0), appendCommand(nil, "READY", b))
			p, err := handshake(c, limitsForTest(), nil, ready{socketType: "PUB"}, true)
			if err == nil && p.identity != r.identity {
				t.Fatalf("identity %q, READY says %q", p.identity, r.identity)
			}
		}
	})
}
