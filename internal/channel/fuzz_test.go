package channel

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// fuzzChannel returns a channel without connections.
func fuzzChannel(f *testing.F) *Channel {
	f.Helper()
	dir := f.TempDir()
	channeltest.WriteKeys(f, dir, "minion", "minion")
	c, err := New(Config{
		ID: "m1", PkiDir: dir, Host: "127.0.0.1", Port: 9, AuthTries: 1, AuthTimeout: 1,
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = c.Close() })
	return c
}

func seedReplies(f *testing.F) {
	f.Add([]byte("\xa8bad load"))
	f.Add([]byte{0x80})
	f.Add([]byte("\x82\xa3key\xa1x\xa6pillar\xa1y"))
	f.Add([]byte("\x82\xa3enc\xa5clear\xa4load\x81\xa3ret\xc3"))
	for _, name := range []string{"live_v3_auth.json", "requests_v3.json"} {
		if b, err := os.ReadFile(filepath.Join("testdata", name)); err == nil {
			f.Add(b[:min(len(b), 4096)])
		}
	}
}

// FuzzJudge checks that no bytes from a stranger count as an acceptance, and that none crash a
// sign-in.
func FuzzJudge(f *testing.F) {
	c := fuzzChannel(f)
	known, err := newPin(channeltest.Key(f, "master").PublicPEM)
	if err != nil {
		f.Fatal(err)
	}
	seedReplies(f)
	f.Fuzz(func(t *testing.T, reply []byte) {
		for _, q := range []question{{nonce: wire.NewNonce()}, {nonce: wire.NewNonce(), pinned: known}} {
			if _, err := c.judge(reply, q); err == nil {
				t.Fatalf("accepted %x", reply)
			}
		}
	})
}

// FuzzOpenReply does the same for replies and pillars.
func FuzzOpenReply(f *testing.F) {
	c := fuzzChannel(f)
	box, err := crypt.ParseKey(crypt.NewKeyString())
	if err != nil {
		f.Fatal(err)
	}
	k := &credentials{shared: box, masterKey: channeltest.Key(f, "master").Public()}
	seedReplies(f)
	f.Fuzz(func(t *testing.T, reply []byte) {
		if _, err := openReply(k, reply, wire.NewNonce()); err == nil {
			t.Fatalf("reply %x was taken", reply)
		}
		if _, err := c.openPillar(k, reply, wire.NewNonce()); err == nil {
			t.Fatalf("pillar %x was taken", reply)
		}
	})
}

// FuzzPlain decodes arbitrary content from a peer that has our keys.
func FuzzPlain(f *testing.F) {
	c := fuzzChannel(f)
	box, err := crypt.ParseKey(crypt.NewKeyString())
	if err != nil {
		f.Fatal(err)
	}
	k := &credentials{Result: Result{Version: 2}, shared: box, serial: new(serials), masterKey: channeltest.Key(f, "master").Public()}
	c.store(k)
	job, err := wire.Encode(channeltest.Job("1", "*", "test.ping"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(job))
	f.Add([]byte{0xc0})
	f.Add([]byte{0xdf, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, plain []byte) {
		nonce := wire.NewNonce()
		frame, err := box.Seal(nonce, plain)
		if err != nil {
			t.Fatal(err)
		}
		body, err := wire.Encode(frame)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := openReply(k, body, nonce); err == nil {
			// The result may be an invalid value, but it is safe to decode.
			if err := wire.Scan(v, wire.Limits{}); err != nil {
				t.Fatalf("a value that may not be decoded was taken: %v", err)
			}
			_, _ = wire.Decode(v)
		}
		cipher, err := box.Seal("", plain)
		if err != nil {
			t.Fatal(err)
		}
		env, err := wire.Envelope{Enc: "aes", Cipher: cipher}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.OpenPublication(context.Background(), env)
	})
}
