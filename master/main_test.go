package master

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/momtree/mom/internal/vectors"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp/swarmtest"
)

func TestMain(m *testing.M) {
	if swarmtest.Playing() || mastering() || playing() {
		return
	}
	// The clock of the backtracking engine stops on its own shortly after the last expression.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}

var quiet = slog.New(slog.DiscardHandler)

// patience limits how long a test waits for something that must happen.
const patience = 30 * time.Second

// eventually waits for a condition that another goroutine brings about.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	waiting.Until(t, what, ok)
}

func readVectors[T any](t testing.TB, name string) T {
	t.Helper()
	var v T
	if err := vectors.Read(name, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// plain converts a decoded wire value to the form of the vectors: bytes that are not UTF-8 become
// {"$b64": …}, maps with keys other than strings {"$map": [[k, v], …]}. The result went through
// JSON, so that numbers compare.
func plain(t testing.TB, v any) any {
	t.Helper()
	b, err := json.Marshal(plainValue(v))
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func plainValue(v any) any {
	switch v := v.(type) {
	case string:
		if !utf8.ValidString(v) {
			return map[string]any{"$b64": base64.StdEncoding.EncodeToString([]byte(v))}
		}
	case []byte:
		return plainValue(string(v))
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plainValue(e)
		}
		return out
	case *wire.Map:
		texts, pairs := map[string]any{}, []any{}
		v.Range(func(k, e any) bool {
			if s, ok := k.(string); ok {
				texts[s] = plainValue(e)
			}
			pairs = append(pairs, []any{plainValue(k), plainValue(e)})
			return true
		})
		if len(texts) == len(pairs) {
			return texts
		}
		return map[string]any{"$map": pairs}
	}
	return v
}

func decoded(t testing.TB, b []byte) any {
	t.Helper()
	v, err := wire.Decode(b)
	if err != nil {
		t.Fatalf("reply %x: %v", b, err)
	}
	return plain(t, v)
}
