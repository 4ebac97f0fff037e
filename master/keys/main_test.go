package keys

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/vectors"
)

func TestMain(m *testing.M) {
	// The clock of the backtracking engine ends by itself, shortly after the
	// last expression.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

var quiet = slog.New(slog.DiscardHandler)

func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	if o.PkiDir == "" {
		o.PkiDir = t.TempDir()
	}
	if o.Log == nil {
		o.Log = quiet
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// putKey writes a key file behind the store's back, as another process would.
func putKey(t testing.TB, s *Store, st State, id, text string) {
	t.Helper()
	if err := os.WriteFile(s.path(st, id), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files lists folder/name of all key files, sorted.
func files(t testing.TB, pki string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(pki, "minions*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for _, f := range found {
		rel, err := filepath.Rel(pki, f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, rel)
	}
	slices.Sort(out)
	return out
}

func goldenText(t testing.TB, name string) string {
	t.Helper()
	k, ok := vectors.Keys(t)[name]
	if !ok {
		t.Fatalf("no golden key %q", name)
	}
	return k.PublicPEM
}

// clock is a settable time.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func pairOf(t testing.TB, name string) *crypt.KeyPair {
	t.Helper()
	k := vectors.Keys(t)[name]
	priv, err := crypt.ParsePrivatePEM([]byte(k.PrivatePEM), "")
	if err != nil {
		t.Fatal(err)
	}
	return &crypt.KeyPair{Private: priv, PublicPEM: k.PublicPEM}
}
