package swarm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

func FuzzOrder(f *testing.F) {
	for _, m := range []*wire.Map{
		wire.NewMap("fun", "test.ping", "arg", []any{}, "tgt", "*", "jid", "20260101000000000001", "ret", ""),
		wire.NewMap("fun", "test.sleep", "arg", []any{1.5}, "tgt", []any{"a"}, "tgt_type", "list", "jid", "1", "ret", "", "serial", 1),
		wire.NewMap("fun", []any{"a", "b"}, "arg", []any{}, "tgt", "*", "jid", "1", "ret", ""),
	} {
		raw, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := newOrder(b, newJobs())
		if err != nil {
			return
		}
		w := world{id: "m", version: "v", grains: func() *wire.Map { return wire.NewMap("id", "m") }, running: []*order{o}}
		r := (Answers{}).answer(o, w)
		if _, err := returnLoad("m", o, r); err != nil {
			t.Errorf("the answer to %s cannot be packed: %v", o.fun, err)
		}
	})
}

func FuzzSignIn(f *testing.F) {
	pair, err := crypt.NewKeyPair(1024)
	if err != nil {
		f.Fatal(err)
	}
	inner, err := wire.Encode(wire.NewMap("enc", "pub", "pub_key", pair.PublicPEM, "aes", "x", "sig", "y", "nonce", "n"))
	if err != nil {
		f.Fatal(err)
	}
	sig, err := crypt.Sign(sigAlgo, pair.Private, inner)
	if err != nil {
		f.Fatal(err)
	}
	whole, err := wire.Encode(wire.NewMap("enc", "clear", "load", []byte(inner), "sig", sig))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(whole))
	f.Add([]byte("\xa8bad load"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := judgeSignIn(b, "n", "c", 3, pair.Private, nil, false); err == nil {
			t.Errorf("taken: %+v", a)
		}
	})
}

func FuzzKeyFile(f *testing.F) {
	dir := f.TempDir()
	k := &Keys{Dir: dir, Count: 1, Bits: 1024}
	if err := k.ensure(0); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(k.path(0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		key, pair, err := parseKey(b, "x")
		if err == nil && (key.Public == "" || len(key.Tok) == 0 || pair.Private == nil) {
			t.Error("a part is lacking")
		}
	})
}

// Keys are made once, by whichever process comes first, and a file that is none is
// named; accepted keys are laid down once and never replaced.
func TestKeys_Seed(t *testing.T) {
	k := &Keys{Dir: t.TempDir(), Count: 2, Bits: 1024}
	ids := IDs{Pattern: "m%d", First: 1, Count: 4}
	for range 2 {
		if err := k.Make(t.Context(), ids, nil); err != nil {
			t.Fatal(err)
		}
	}
	pki := t.TempDir()
	for _, want := range []int{4, 0} {
		if n, err := Seed(pki, ids, k); err != nil || n != want {
			t.Errorf("%d laid down, want %d: %v", n, want, err)
		}
	}
	one, _ := os.ReadFile(filepath.Join(pki, "minions/m1"))
	other, _ := os.ReadFile(filepath.Join(pki, "minions/m2"))
	third, _ := os.ReadFile(filepath.Join(pki, "minions/m3"))
	if string(one) == string(other) || string(one) != string(third) {
		t.Error("two pairs are to be shared in turn")
	}
	again := &Keys{Dir: t.TempDir(), Count: 1, Bits: 1024}
	if err := again.Make(t.Context(), ids, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Seed(pki, ids, again); err == nil || !strings.Contains(err.Error(), "salt-key -d m1") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(k.Dir, "spoilt.pem"), []byte("-----BEGIN"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readKey(filepath.Join(k.Dir, "spoilt.pem")); err == nil || !strings.Contains(err.Error(), "made anew") {
		t.Error(err)
	}
}

func TestDelay(t *testing.T) {
	for text, want := range map[string]Delay{
		"0s": {}, "200ms": {Least: 200 * time.Millisecond, Most: 200 * time.Millisecond},
		"50ms..2s": {Least: 50 * time.Millisecond, Most: 2 * time.Second}, "exp:300ms": {Mean: 300 * time.Millisecond},
	} {
		got, err := ParseDelay(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		for range 100 {
			if d := got.draw(); d < want.Least || d > want.Most+10*want.Mean {
				t.Errorf("%s: drew %v", text, d)
			}
		}
	}
	for _, text := range []string{"", "x", "2s..1s", "-1s", "exp:-1s", "exp:"} {
		if _, err := ParseDelay(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// A quantile is right to four percent, and never above the largest.
func TestHistogram(t *testing.T) {
	var h histogram
	if h.quantile(0.5) != 0 {
		t.Error("of none")
	}
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Millisecond)
	}
	for share, want := range map[float64]time.Duration{0.5: 500 * time.Millisecond, 0.99: 990 * time.Millisecond, 1: time.Second} {
		if got := h.quantile(share); got < want*99/100 || got > want*105/100 || got > time.Second {
			t.Errorf("%g: %v, want %v", share, got, want)
		}
	}
}

// Each minion has an address of its own, inside the prefix, without its ends.
func TestAddress(t *testing.T) {
	seen := map[string]bool{}
	for i := range 300000 {
		a := address(Loopback, i)
		if !Loopback.Contains(a) {
			t.Fatal(a)
		}
		seen[a.String()] = true
	}
	if len(seen) != 300000 || seen["127.64.0.0"] || address(SourceFor("10.0.0.1"), 1).IsValid() || !SourceFor("127.0.0.9").IsValid() {
		t.Error(len(seen))
	}
}

// Shares are spread evenly and sum up, whatever the first number is.
func TestShares(t *testing.T) {
	ours := 0
	for i := range 1000 {
		if ourShare(i, 0.3) {
			ours++
		}
	}
	if ours != 300 {
		t.Errorf("%d of 1000", ours)
	}
	counts := map[role]int{}
	for _, r := range (Config{IDs: IDs{Count: 1000}, Down: 0.1, Mute: 0.2, Die: 0.05}).roles() {
		counts[r]++
	}
	if counts[down] != 100 || counts[mute] != 200 || counts[dying] != 50 || counts[honest] != 650 {
		t.Error(counts)
	}
}
