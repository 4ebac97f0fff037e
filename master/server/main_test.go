package server

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/admission"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/telemetry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// stage is a server with two users, root, who is its own, and fred, and two accepted keys, m1 and
// n1; n1 is a node. Requests use protocol 2.
type stage struct {
	*Server
	t   *testing.T
	req *zmtp.Req
	tok []byte
}

// serve starts a server with these commands.
func serve(t *testing.T, add func(*Server)) *stage {
	t.Helper()
	pki := filepath.Join(t.TempDir(), "pki")
	if err := os.MkdirAll(filepath.Join(pki, "minions"), 0o755); err != nil {
		t.Fatal(err)
	}
	pair := vectors.Keys(t)["minion"]
	for _, id := range []string{"m1", "n1"} {
		if err := os.WriteFile(filepath.Join(pki, "minions", id), []byte(pair.PublicPEM), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store, err := keys.Open(keys.Options{PkiDir: pki, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := keys.NewShared(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	private, err := crypt.ParsePrivatePEM([]byte(pair.PrivatePEM), "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &stage{t: t, Server: New(Options{
		Ctx: ctx, MinimumVersion: 2, Depth: 48, WorkValues: MaxValues, Waiting: 1, Turns: admission.NewTurns(1),
		Keys: store, Toks: keys.NewToks(store), Shared: shared, Node: func(id string) bool { return id == "n1" },
		User: func(key string) (string, bool) {
			name, ok := map[string]string{"the key of root": "root", "the key of fred": "fred"}[key]
			return name, ok
		}, Own: "root", Logins: &fakeLogins{},
		Stats: &telemetry.Counters{}, Log: quiet, Now: time.Now,
	})}
	if s.tok, err = crypt.X931Sign(private, []byte(keys.TokText)); err != nil {
		t.Fatal(err)
	}
	add(s.Server)
	router, err := zmtp.ListenRouter("127.0.0.1:0", zmtp.RouterConfig{Log: quiet}, s.Receive)
	if err != nil {
		t.Fatal(err)
	}
	s.req = zmtp.NewReq(router.Addr().String(), zmtp.DialConfig{Log: quiet})
	t.Cleanup(func() {
		cancel()
		for _, c := range []io.Closer{s.req, router, store} {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
		s.Close()
	})
	s.Open()
	return s
}

// ask returns the reply to an envelope.
func (s *stage) ask(env wire.Envelope) wire.Raw {
	s.t.Helper()
	body, err := env.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	reply, err := s.req.Do(s.t.Context(), body)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply
}

func (s *stage) decoded(b []byte) any {
	s.t.Helper()
	v, err := wire.Decode(b)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// say sends a clear command.
func (s *stage) say(load *wire.Map) any {
	s.t.Helper()
	raw, err := wire.Encode(load)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.decoded(s.ask(wire.Envelope{Enc: "clear", Load: raw, Version: 2, HasVersion: true}))
}

// send sends an encrypted command and decrypts the answer. It returns an answer in clear as it is.
func (s *stage) send(load *wire.Map) any {
	s.t.Helper()
	nonce := wire.NewNonce()
	load.Set("nonce", nonce)
	raw, err := wire.Encode(load)
	if err != nil {
		s.t.Fatal(err)
	}
	cipher, err := s.Shared.Current().Seal("", raw)
	if err != nil {
		s.t.Fatal(err)
	}
	reply := s.ask(wire.Envelope{Enc: "aes", Cipher: cipher, Version: 2, HasVersion: true})
	frame, err := wire.Bytes(reply)
	if err != nil {
		return s.decoded(reply)
	}
	plain, err := s.Shared.Current().OpenNonce(frame, nonce)
	if err != nil {
		return s.decoded(reply)
	}
	return s.decoded(plain)
}
