package channel

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

func TestSignIn_FirstContactPinsTheKey(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	c := open(t, cfg)
	res, err := c.SignIn(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if res.Version != 3 || res.PublishPort != m.PublishPort() || res.Session == "" || !res.Changed || res.Seq != 1 {
		t.Errorf("result %+v", res)
	}
	pinned, err := os.ReadFile(filepath.Join(cfg.PkiDir, "minion_master.pub"))
	if err != nil || string(pinned) != m.Key.PublicPEM {
		t.Errorf("pinned %q, %v", pinned, err)
	}
	load := m.Seen("_auth")[0]
	if load.Has("token") || load.String("enc_algo") != crypt.OAEPSHA1 || len(load.String("nonce")) != 32 {
		t.Errorf("first sign-in load %#v", load)
	}

	again, err := c.SignIn(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if again.Changed || again.Seq != 2 || again.AES != res.AES {
		t.Errorf("second result %+v", again)
	}
	if !m.Seen("_auth")[1].Has("token") {
		t.Error("the second sign-in sent no challenge")
	}
}

func TestSignIn_OlderMasterMeansVersion2(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Version: 2})
	c := open(t, testConfig(t, m))
	res, err := c.SignIn(within(t))
	if err != nil || res.Version != 2 || res.Session != "" {
		t.Fatalf("%+v, %v", res, err)
	}
	ctx := within(t)
	if _, err := c.Request(ctx, wire.NewMap("cmd", "_minion_event", "id", "m1", "tag", "x")); err != nil {
		t.Fatal(err)
	}
	if err := c.Return(ctx, wire.NewMap("cmd", "_return", "id", "m1", "jid", "1")); err != nil {
		t.Fatal(err)
	}
	event, ret := m.Seen("_minion_event")[0], m.Seen("_return")[0]
	if !event.Has("tok") || event.Has("ts") {
		t.Errorf("event of version 2: %v", event.Keys())
	}
	if ret.Has("tok") || ret.Has("ts") || !ret.Has("nonce") {
		t.Errorf("return of version 2: %v", ret.Keys())
	}
}

func TestSignIn_Algorithms(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.EncryptionAlgorithm, cfg.SigningAlgorithm = crypt.OAEPSHA224, crypt.PKCS1SHA224
	c := open(t, cfg)
	for range 2 { // without and with a challenge
		if _, err := c.SignIn(within(t)); err != nil {
			t.Fatal(err)
		}
	}
}

// other returns a key that is not the master's.
func other(t *testing.T) string { return channeltest.Key(t, "lower_master").PublicPEM }

func TestSignIn_WrongAnswers(t *testing.T) {
	spoil := func(field string, v any) func(*wire.Map) {
		return func(r *wire.Map) { r.Set(field, v) }
	}
	drop := func(field string) func(*wire.Map) { return func(r *wire.Map) { r.Delete(field) } }
	known := func(c *Config, t *testing.T, m *channeltest.Master) {
		writePin(t, c, m.Key.PublicPEM)
	}
	wrong := func(c *Config, t *testing.T, _ *channeltest.Master) { writePin(t, c, other(t)) }
	verify := func(c *Config, t *testing.T, _ *channeltest.Master) {
		c.VerifyMasterPubkeySign = true
		writeFile(t, filepath.Join(c.PkiDir, "master_sign.pub"), channeltest.Key(t, "sign").PublicPEM)
	}
	answer := func(v any) func(string, []byte) []byte {
		return func(_ string, _ []byte) []byte {
			b, err := wire.Encode(v)
			if err != nil {
				panic(err)
			}
			return b
		}
	}
	tests := []struct {
		name  string
		rules channeltest.Rules
		cfg   func(*Config, *testing.T, *channeltest.Master)
		want  error
	}{
		{name: "pending", rules: channeltest.Rules{Auth: ret(true)}, want: ErrPending},
		{name: "rejected", rules: channeltest.Rules{Auth: ret(false)}, want: ErrRejected},
		{name: "full", rules: channeltest.Rules{Auth: ret("full")}, want: ErrFull},
		{name: "strange ret", rules: channeltest.Rules{Auth: ret("perhaps")}, want: ErrBadReply},
		{name: "bad enc algo", rules: channeltest.Rules{Auth: ret("bad enc algo")}, want: ErrBadAlgorithm},
		{name: "bad sig algo", rules: channeltest.Rules{Auth: ret("bad sig algo")}, want: ErrBadAlgorithm},
		{name: "other key", cfg: wrong, want: ErrMasterKeyChanged},
		{name: "pending at another master", cfg: wrong, rules: channeltest.Rules{Auth: ret(true)}, want: ErrBadSignature},
		{name: "rejected by another master", cfg: wrong, rules: channeltest.Rules{Auth: ret(false)}, want: ErrBadSignature},
		{name: "key is not a key", rules: channeltest.Rules{Grant: spoil("pub_key", "nonsense")}, want: ErrBadReply},
		{name: "no challenge answered", cfg: known, rules: channeltest.Rules{Grant: drop("token")}, want: ErrBadToken},
		{name: "challenge answered wrongly", cfg: known, rules: channeltest.Rules{Grant: spoil("token", "x")}, want: ErrBadToken},
		{name: "shared key under no key", rules: channeltest.Rules{Grant: spoil("aes", "x")}, want: ErrBadReply},
		{name: "no shared key", rules: channeltest.Rules{Grant: drop("aes")}, want: ErrBadReply},
		{name: "shared key not signed", rules: channeltest.Rules{Grant: drop("sig")}, want: ErrBadSignature},
		{name: "shared key signed by another", rules: channeltest.Rules{Grant: spoil("sig", strings.Repeat("s", 256))}, want: ErrBadSignature},
		{name: "session under no key", rules: channeltest.Rules{Grant: spoil("session", "x")}, want: ErrBadReply},
		{name: "other nonce", rules: channeltest.Rules{Grant: spoil("nonce", strings.Repeat("0", 32))}, want: ErrBadNonce},
		{name: "no nonce", rules: channeltest.Rules{Grant: drop("nonce")}, want: ErrBadNonce},
		{name: "no port", rules: channeltest.Rules{Grant: drop("publish_port")}, want: ErrBadReply},
		{name: "port out of range", rules: channeltest.Rules{Grant: spoil("publish_port", 70000)}, want: ErrBadReply},
		{
			name: "other fingerprint", want: ErrBadFinger,
			cfg: func(c *Config, _ *testing.T, _ *channeltest.Master) { c.MasterFinger = "00:11" },
		},
		{name: "key not signed", cfg: verify, want: ErrUnsignedKey},
		{
			name: "key signed, not asked for", want: ErrUnsignedKey,
			rules: channeltest.Rules{Sign: channeltest.Key(t, "sign")},
		},
		{
			name: "key signed by another", cfg: verify, want: ErrUnsignedKey,
			rules: channeltest.Rules{Sign: channeltest.Key(t, "minion2")},
		},
		{name: "plain text", rules: channeltest.Rules{Answer: answer("bad load")}, want: ErrRefused},
		{name: "number", rules: channeltest.Rules{Answer: answer(7)}, want: ErrBadReply},
		{name: "empty map", rules: channeltest.Rules{Answer: answer(wire.NewMap())}, want: ErrBadReply},
		{name: "msg map", rules: channeltest.Rules{Answer: answer(wire.NewMap("msg", "bad load"))}, want: ErrBadReply},
		{
			name: "unsigned acceptance", want: ErrBadSignature,
			rules: channeltest.Rules{Answer: answer(wire.NewMap("enc", "clear", "load", wire.NewMap("ret", true)))},
		},
		{
			name: "cluster forming", want: ErrNotReady,
			rules: channeltest.Rules{Answer: answer(wire.NewMap("enc", "clear", "load", wire.NewMap("ret", false, "cluster_retry", true)))},
		},
		{name: "no msgpack", rules: channeltest.Rules{Answer: func(string, []byte) []byte { return []byte{0xc1} }}, want: ErrBadReply},
		{name: "signature of the reply", cfg: known, rules: channeltest.Rules{Answer: flipLast}, want: ErrBadSignature},
		{
			name: "pin is not a key", want: ErrBadPin,
			cfg: func(c *Config, t *testing.T, _ *channeltest.Master) { writePin(t, c, "nonsense") },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := channeltest.Start(t, tt.rules)
			cfg := testConfig(t, m)
			if tt.cfg != nil {
				tt.cfg(&cfg, t, m)
			}
			before, _ := os.ReadFile(filepath.Join(cfg.PkiDir, "minion_master.pub"))
			c := open(t, cfg)
			_, err := c.Attempt(within(t))
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			if !strings.Contains(err.Error(), c.Addr()) || !strings.Contains(err.Error(), "m1") {
				t.Errorf("the error does not say who and where: %v", err)
			}
			after, _ := os.ReadFile(filepath.Join(cfg.PkiDir, "minion_master.pub"))
			if string(after) != string(before) {
				t.Error("a refused answer changed the pinned key")
			}
			if _, ok := c.Current(); ok {
				t.Error("a refused answer left keys behind")
			}
		})
	}
}

func ret(v any) func(*wire.Map) any { return func(*wire.Map) any { return v } }

// flipLast corrupts the last byte, which is part of the signature.
func flipLast(_ string, b []byte) []byte {
	b = append([]byte(nil), b...)
	b[len(b)-1] ^= 1
	return b
}

func writePin(t *testing.T, c *Config, pem string) {
	t.Helper()
	writeFile(t, filepath.Join(c.PkiDir, "minion_master.pub"), pem)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSignIn_ChangedKeyThatIsSigned(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Sign: channeltest.Key(t, "sign")})
	cfg := testConfig(t, m)
	cfg.VerifyMasterPubkeySign = true
	writePin(t, &cfg, other(t))
	writeFile(t, filepath.Join(cfg.PkiDir, "master_sign.pub"), channeltest.Key(t, "sign").PublicPEM)
	if _, err := open(t, cfg).SignIn(within(t)); err != nil {
		t.Fatal(err)
	}
	pinned, _ := os.ReadFile(filepath.Join(cfg.PkiDir, "minion_master.pub"))
	if string(pinned) != m.Key.PublicPEM {
		t.Error("the signed key was not pinned")
	}
}

func TestSignIn_AlwaysVerifySignature(t *testing.T) {
	for _, always := range []bool{false, true} {
		m := channeltest.Start(t, channeltest.Rules{Sign: channeltest.Key(t, "minion2")})
		cfg := testConfig(t, m)
		cfg.VerifyMasterPubkeySign, cfg.AlwaysVerifySignature = true, always
		writePin(t, &cfg, m.Key.PublicPEM)
		writeFile(t, filepath.Join(cfg.PkiDir, "master_sign.pub"), channeltest.Key(t, "sign").PublicPEM)
		_, err := open(t, cfg).Attempt(within(t))
		if got := errors.Is(err, ErrUnsignedKey); got != always {
			t.Errorf("always_verify_signature %v: %v", always, err)
		}
	}
}

func TestSignIn_OpenModeReplacesTheKey(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.OpenMode = true
	writePin(t, &cfg, other(t))
	if _, err := open(t, cfg).SignIn(within(t)); err != nil {
		t.Fatal(err)
	}
	pinned, _ := os.ReadFile(filepath.Join(cfg.PkiDir, "minion_master.pub"))
	if string(pinned) != m.Key.PublicPEM {
		t.Error("open_mode did not learn the new key")
	}
}

func TestSignIn_LineEndsOfThePinDoNotCount(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	writePin(t, &cfg, strings.ReplaceAll(m.Key.PublicPEM, "\n", "\r\n"))
	if _, err := open(t, cfg).SignIn(within(t)); err != nil {
		t.Fatal(err)
	}
}

func TestSignIn_RightFingerprint(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	var err error
	if cfg.MasterFinger, err = crypt.Fingerprint([]byte(m.Key.PublicPEM), "sha256"); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, cfg).SignIn(within(t)); err != nil {
		t.Fatal(err)
	}
}

func TestSignIn_WaitsForAcceptance(t *testing.T) {
	var asked atomic.Int32
	m := channeltest.Start(t, channeltest.Rules{Auth: func(*wire.Map) any {
		switch asked.Add(1) {
		case 1:
			return true
		case 2:
			return "full"
		case 3:
			return false
		}
		return nil
	}})
	cfg := testConfig(t, m)
	cfg.RejectedRetry = true
	cfg.AcceptanceWaitTimeMax = 20 * time.Millisecond
	if _, err := open(t, cfg).SignIn(within(t)); err != nil {
		t.Fatal(err)
	}
	if asked.Load() != 4 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestSignIn_EndsWithItsContext(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Auth: ret(true)})
	cfg := testConfig(t, m)
	cfg.AcceptanceWaitTime = time.Hour
	ctx, cancel := context.WithCancel(within(t))
	c := open(t, cfg)
	done := make(chan error)
	go func() { _, err := c.SignIn(ctx); done <- err }()
	m.Await(t, "_auth", 1)
	cancel()
	if err := <-done; err == nil {
		t.Error("no error after the context ended")
	}
}

func TestSignIn_IsSharedByAllWhoWantIt(t *testing.T) {
	release := make(chan struct{})
	var asked atomic.Int32
	m := channeltest.Start(t, channeltest.Rules{Auth: func(*wire.Map) any {
		asked.Add(1)
		<-release
		return nil
	}})
	c := open(t, testConfig(t, m))
	ctx := within(t)
	var wg sync.WaitGroup
	errs := make(chan error, 8)
	started := make(chan struct{}, 8)
	for range 8 {
		wg.Go(func() {
			a, _ := c.join()
			started <- struct{}{}
			<-a.done
			errs <- a.err
		})
	}
	for range 8 {
		<-started
	}
	close(release)
	wg.Wait()
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the master was asked %d times", asked.Load())
	}
	if _, err := c.Attempt(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestSignIn_NobodyThere(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	m.Down()
	cfg := testConfig(t, m)
	cfg.AuthTimeout, cfg.AuthTries = 50*time.Millisecond, 2
	_, err := open(t, cfg).Attempt(within(t))
	if !errors.Is(err, ErrNoAnswer) || Fatal(err) {
		t.Errorf("got %v", err)
	}
}

func TestClose_EndsWhatWaits(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Answer: func(string, []byte) []byte { return nil }})
	cfg := testConfig(t, m)
	cfg.AuthTimeout = time.Hour
	c := open(t, cfg)
	done := make(chan error)
	go func() { _, err := c.Attempt(within(t)); done <- err }()
	m.Await(t, "_auth", 1)
	_ = c.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Attempt(within(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
