package keys

import (
	"bytes"
	"context"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/wire"
)

func writeGolden(t *testing.T, pki string, names map[string]string) {
	t.Helper()
	keys := vectors.Keys(t)
	for file, key := range names {
		text := keys[key].PublicPEM
		if strings.HasSuffix(file, ".pem") {
			text = keys[key].PrivatePEM
		}
		if err := os.WriteFile(filepath.Join(pki, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSignatureFile(t *testing.T) {
	var v struct {
		File struct {
			Content string
			Over    []byte `json:"over_bytes"`
		} `json:"master_pubkey_signature_file"`
	}
	vectors.Load(t, "rsa.json", &v)
	sign := pairOf(t, "sign")
	clean, err := SignText(crypt.PKCS1SHA224, sign, crypt.CleanPEM(string(v.File.Over)))
	if err != nil {
		t.Fatal(err)
	}
	if made, err := SignText(crypt.PKCS1SHA1, sign, string(v.File.Over)); err != nil || string(made) != v.File.Content {
		t.Errorf("signature file %q, %v, want Salt's", made, err)
	}
	for _, tc := range []struct {
		name, content string
		withPub       bool
		pubText       string
		fails         bool
	}{
		{name: "as salt made it", content: v.File.Content, withPub: true, pubText: string(v.File.Over)},
		{name: "over the cleaned text", content: string(clean), withPub: true, pubText: crypt.CleanPEM(string(v.File.Over))},
		{name: "without the public key", content: v.File.Content, pubText: string(v.File.Over)},
		{name: "of another key", content: "AAAA\n", withPub: true, fails: true},
		{name: "not base64", content: "***", withPub: true, fails: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pki := t.TempDir()
			writeGolden(t, pki, map[string]string{"master.pem": "master"})
			if err := os.WriteFile(filepath.Join(pki, "master.pub"), v.File.Over, 0o644); err != nil {
				t.Fatal(err)
			}
			if tc.withPub {
				writeGolden(t, pki, map[string]string{"master_sign.pub": "sign"})
			}
			if err := os.WriteFile(filepath.Join(pki, "master_pubkey_signature"), []byte(tc.content), 0o644); err != nil {
				t.Fatal(err)
			}
			i, err := OpenIdentity(IdentityOptions{PkiDir: pki, MasterSignPubkey: true, MasterUsePubkeySignature: true})
			if tc.fails {
				if err == nil || !strings.Contains(err.Error(), "master_pubkey_signature") {
					t.Errorf("%v, want an error that names the file", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			reply, err := i.Admit(Auth{Version: 3, ID: "m1", Nonce: "n", EncAlgo: crypt.OAEPSHA1, SigAlgo: crypt.PKCS1SHA1},
				pairOf(t, "minion").Public(), Secrets{AES: crypt.NewKeyString(), Session: crypt.NewKeyString(), PublishPort: 4505})
			if err != nil {
				t.Fatal(err)
			}
			m := openReply(t, reply, i.Pair.Public(), crypt.PKCS1SHA1)
			if m.String("pub_key") != tc.pubText || m.String("pub_sig") != tc.content {
				t.Errorf("pub_key %q with pub_sig %q", m.String("pub_key"), m.String("pub_sig"))
			}
		})
	}
	pki := t.TempDir()
	writeGolden(t, pki, map[string]string{"master.pem": "master"})
	if _, err := OpenIdentity(IdentityOptions{PkiDir: pki, MasterSignPubkey: true, MasterUsePubkeySignature: true}); err == nil || !strings.Contains(err.Error(), "gen-signature") {
		t.Errorf("missing signature file: %v, want an error with a hint", err)
	}
}

func TestOpenIdentityMakesPairs(t *testing.T) {
	pki := filepath.Join(t.TempDir(), "master")
	o := IdentityOptions{PkiDir: pki, MasterSignPubkey: true, MasterSignKeyName: "signer", SigningKeyPass: "words"}
	if _, err := OpenIdentity(o); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"master.pem": 0o400, "master.pub": 0o644, "signer.pem": 0o400, "signer.pub": 0o644} {
		if got := mustStat(t, filepath.Join(pki, name)).Mode().Perm(); got != mode {
			t.Errorf("%s: mode %o, want %o", name, got, mode)
		}
	}
	if _, err := crypt.LoadPrivate(filepath.Join(pki, "signer.pem"), ""); err == nil {
		t.Error("the signing key is stored without its passphrase")
	}
}

// A key that is too short for the reply is answered, not dropped.
func TestShortKeyIsAnswered(t *testing.T) {
	small, err := crypt.NewKeyPair(1024)
	if err != nil {
		t.Fatal(err)
	}
	c := authForm{}
	c.Options.AutoAccept = true
	gate, _ := c.gate(t, crypt.NewKeyString())
	for alg, admitted := range map[string]bool{crypt.OAEPSHA1: true, crypt.OAEPSHA224: false} {
		load := packed(t, wire.NewMap("cmd", "_auth", "id", "m1", "nonce", wire.NewNonce(), "enc_algo", alg, "pub", small.PublicPEM))
		got := gate.Handle(context.Background(), load, 3, netip.Prefix{})
		if plainReply := retOf(t, got.Body) == PlainFault; plainReply == admitted {
			t.Errorf("%s: reply %x", alg, got.Body)
		}
		if (got.Event != nil) != admitted {
			t.Errorf("%s: event %#v", alg, got.Event)
		}
	}
}

func TestProofFollowsTheKey(t *testing.T) {
	i := NewIdentity(pairOf(t, "master"))
	a, b := crypt.NewKeyString(), crypt.NewKeyString()
	first, err := i.prove(a)
	if err != nil {
		t.Fatal(err)
	}
	second, err := i.prove(b)
	if err != nil || bytes.Equal(first, second) {
		t.Errorf("another key has the same proof: %v", err)
	}
	if again, err := i.prove(a); err != nil || !bytes.Equal(again, first) {
		t.Errorf("the proof changes: %v", err)
	}
}

func BenchmarkSignIn(b *testing.B) {
	store := acceptedStore(b, "m1")
	sessions := openSessions(b, store, b.TempDir(), nil)
	aes := crypt.NewKeyString()
	gate := &Gate{
		Identity: NewIdentity(pairOf(b, "master")), Decider: NewDecider(store, Policy{Log: quiet}), Sessions: sessions,
		AES: func() string { return aes }, PublishPort: 4505, Log: quiet,
	}
	load := packed(b, wire.NewMap("cmd", "_auth", "id", "m1", "nonce", wire.NewNonce(), "pub", goldenText(b, "minion")))
	b.ReportAllocs()
	for b.Loop() {
		if got := gate.Handle(context.Background(), load, 3, netip.Prefix{}); got.Verdict.Outcome != Admitted {
			b.Fatal(got.Verdict)
		}
	}
}

// Minions of 3006.12 and newer compare the text of the master's key, as they get
// it, with their pinned file without its final newline: sent with one, the same
// key would be refused at the second sign-in ("The master key has changed").
func TestPublicKeyIsSentCleaned(t *testing.T) {
	pki := t.TempDir()
	writeGolden(t, pki, map[string]string{"master.pem": "master"})
	i, err := OpenIdentity(IdentityOptions{PkiDir: pki})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := i.Admit(Auth{Version: 3, ID: "m1", Nonce: "n", EncAlgo: crypt.OAEPSHA1, SigAlgo: crypt.PKCS1SHA1},
		pairOf(t, "minion").Public(), Secrets{AES: crypt.NewKeyString(), Session: crypt.NewKeyString(), PublishPort: 4505})
	if err != nil {
		t.Fatal(err)
	}
	if got := openReply(t, reply, i.Pair.Public(), crypt.PKCS1SHA1).String("pub_key"); got != crypt.CleanPEM(i.Pair.PublicPEM) {
		t.Errorf("pub_key %q", got)
	}
}
