package channel

import (
	"errors"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
)

func TestOpenPublication_RotationLosesNothing(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	c := signedIn(t, testConfig(t, m))
	for i, jid := range []string{"1", "2", "3"} {
		if i == 1 {
			m.Rotate()
		}
		p, err := c.OpenPublication(within(t), m.Seal(channeltest.Job(jid, "*", "test.ping")))
		if err != nil || p.JID != jid {
			t.Fatalf("%s: %v %v", jid, p.JID, err)
		}
	}
	auths := m.Seen("_auth")
	if len(auths) != 2 || !auths[1].Has("token") {
		t.Errorf("%d sign-ins", len(auths))
	}
}

func TestOpenPublication_SigningInAgainOpensNoOldMessage(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	c := signedIn(t, testConfig(t, m))
	body := m.Seal(channeltest.Job("1", "*", "test.ping"))
	if _, err := c.OpenPublication(within(t), body); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SignIn(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.OpenPublication(within(t), body); !errors.Is(err, ErrReplayed) {
		t.Errorf("got %v", err)
	}
}

func TestOpenPublication_GarbageDoesNotCauseAStormOfSignIns(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	now := time.Unix(1e9, 0)
	cfg.Now = func() time.Time { return now }
	c := signedIn(t, cfg)
	foreign := channeltest.Start(t, channeltest.Rules{}) // another shared key
	for range 20 {
		if _, err := c.OpenPublication(within(t), foreign.Seal(channeltest.Job("1", "*", "x"))); !errors.Is(err, ErrUnauthentic) {
			t.Fatalf("got %v", err)
		}
	}
	if n := len(m.Seen("_auth")); n != 2 {
		t.Errorf("%d sign-ins for one burst of garbage", n)
	}
	now = now.Add(suspicionMin)
	_, _ = c.OpenPublication(within(t), foreign.Seal(channeltest.Job("1", "*", "x")))
	if n := len(m.Seen("_auth")); n != 3 {
		t.Errorf("%d sign-ins after the pause", n)
	}
	// A real rotation still works once the next sign-in is allowed.
	now = now.Add(suspicionMax)
	m.Rotate()
	if _, err := c.OpenPublication(within(t), m.Seal(channeltest.Job("2", "*", "x"))); err != nil {
		t.Error(err)
	}
}

func TestOpenPublication_Signatures(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.SignPubMessages = true
	c := signedIn(t, cfg)
	unsigned := m.Seal(channeltest.Job("1", "*", "x"))
	if _, err := c.OpenPublication(within(t), unsigned); !errors.Is(err, ErrBadSignature) {
		t.Errorf("unsigned: %v", err)
	}
	m.Change(func(r *channeltest.Rules) { r.SignPublications = true })
	signed := m.Seal(channeltest.Job("2", "*", "x"))
	if _, err := c.OpenPublication(within(t), signed); err != nil {
		t.Errorf("signed: %v", err)
	}
	env, err := wire.ParseEnvelope(m.Seal(channeltest.Job("3", "*", "x")))
	if err != nil {
		t.Fatal(err)
	}
	env.Sig[0] ^= 1
	spoilt, err := env.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.OpenPublication(within(t), spoilt); !errors.Is(err, ErrBadSignature) {
		t.Errorf("spoilt signature: %v", err)
	}
}

func TestOpenPublication_Malformed(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	c := signedIn(t, testConfig(t, m))
	clear, _ := wire.Envelope{Enc: "clear", Load: wire.Raw{0x80}}.Encode()
	for name, body := range map[string][]byte{
		"empty": nil, "no msgpack": {0xc1}, "number": {1}, "map bomb": {0xdf, 0xff, 0xff, 0xff, 0xff}, "clear": clear,
	} {
		if _, err := c.OpenPublication(within(t), body); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if n := len(m.Seen("_auth")); n != 1 {
		t.Errorf("%d sign-ins", n)
	}
}
