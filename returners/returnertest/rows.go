package returnertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
)

// Start is the time of job 0.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// JID returns the id of job n, started n seconds after Start.
func JID(n int) string {
	return Time(n).Format("20060102150405") + "000000"
}

// Time returns when job n was started.
func Time(n int) time.Time { return Start.Add(time.Duration(n) * time.Second) }

// Encode encodes v as msgpack.
func Encode(tb testing.TB, v any) wire.Raw {
	tb.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		tb.Fatalf("encode %v: %v", v, err)
	}
	return b
}

// Load returns the load of job n: fun may be a string or a list.
func Load(tb testing.TB, n int, fun, tgt any, more ...any) returners.Load {
	tb.Helper()
	kv := append([]any{"cmd", "publish", "tgt", tgt, "fun", fun, "arg", []any{}, "tgt_type", "glob", "jid", JID(n), "user", "root"}, more...)
	return returners.Load{JID: JID(n), Raw: Encode(tb, wire.NewMap(kv...)), User: "root", At: Time(n)}
}

// Return returns the return of minion id to job n.
func Return(tb testing.TB, n int, id, fun string, value any) returners.Return {
	tb.Helper()
	full := wire.NewMap("cmd", "_return", "id", id, "success", true, "return", value, "retcode", 0,
		"jid", JID(n), "fun", fun, "fun_args", []any{}, "user", "root")
	return returners.Return{
		JID: JID(n), ID: id, Fun: fun, Success: true, Value: Encode(tb, value), Full: Encode(tb, full), At: Time(n),
	}
}

// Minion returns the id of minion n.
func Minion(n int) string { return fmt.Sprintf("web-%04d", n) }

// JSON returns a value as JSON; stores may change its encoding, not its content.
func JSON(tb testing.TB, raw wire.Raw) string {
	tb.Helper()
	b, err := wire.ToJSON(raw)
	if err != nil {
		tb.Fatalf("json of %x: %v", []byte(raw), err)
	}
	return string(b)
}

// content returns a value as JSON with the keys of each map sorted.
func content(tb testing.TB, raw wire.Raw) string {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(JSON(tb, raw))))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		tb.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// Event returns event n of a minion.
func Event(tb testing.TB, minion string, n int, more ...any) returners.Event {
	tb.Helper()
	data := Encode(tb, wire.NewMap(append([]any{"id", minion, "n", n}, more...)...))
	return returners.Event{Key: fmt.Sprintf("top/%s/%d", minion, n), Tag: "t", Data: data, MasterID: "top", At: time.Unix(int64(n), 0)}
}

// Events returns n events of each of a number of minions, interleaved.
func Events(tb testing.TB, minions, n int) (out []returners.Event) {
	tb.Helper()
	for i := range n {
		for m := range minions {
			out = append(out, Event(tb, fmt.Sprint("m", m), i))
		}
	}
	return out
}
