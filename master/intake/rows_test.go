package intake

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/wire"
)

func raw(t testing.TB, v any) wire.Raw {
	t.Helper()
	r, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t testing.TB, r wire.Raw) string {
	t.Helper()
	s, err := wire.Str(r)
	if err != nil {
		t.Fatalf("%x is not a string: %v", r, err)
	}
	return s
}

// fieldNames returns the field names of a load in order.
func fieldNames(t testing.TB, load wire.Raw) string {
	t.Helper()
	var names []string
	if err := wire.Fields(load, func(key string, _ wire.Raw) error { names = append(names, key); return nil }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// nested returns a value of n nested lists.
func nested(deep int) any {
	var v any = "x"
	for range deep {
		v = []any{v}
	}
	return v
}

func TestOf(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	for name, c := range map[string]struct {
		load    *wire.Map
		success bool
		retcode int
		fun     string
	}{
		"it says that it succeeded":         {wire.NewMap("success", true, "retcode", 2, "fun", "test.ping"), true, 2, "test.ping"},
		"it says that it did not":           {wire.NewMap("success", false, "retcode", 0, "fun", "test.ping"), false, 0, "test.ping"},
		"it says nothing, retcode 0":        {wire.NewMap("retcode", 0, "fun", "test.ping"), true, 0, "test.ping"},
		"it says nothing, retcode 3":        {wire.NewMap("retcode", 3, "fun", "test.ping"), false, 3, "test.ping"},
		"neither of both, as old minions":   {wire.NewMap("fun", "test.ping"), true, 0, "test.ping"},
		"several functions, one of a fault": {wire.NewMap("success", []any{true, false}, "retcode", []any{0, 1}, "fun", []any{"a.b", "c.d"}), false, 1, "a.b,c.d"},
	} {
		t.Run(name, func(t *testing.T) {
			load := wire.NewMap("cmd", "_return", "id", "web1", "jid", "20261123000000000001", "return", true)
			for _, key := range c.load.Keys() {
				v, _ := c.load.Get(key.(string))
				load.Set(key, v)
			}
			ret, err := wire.ParseReturn(raw(t, load))
			if err != nil {
				t.Fatal(err)
			}
			row := RowOf(ret, at)
			if row.ID != "web1" || row.JID != "20261123000000000001" || !row.At.Equal(at) || string(row.Full) != string(ret.Full) {
				t.Errorf("row %+v", row)
			}
			if row.Success != c.success || row.Retcode != c.retcode || row.Fun != c.fun {
				t.Errorf("success %v, retcode %d, fun %q; want %v, %d, %q", row.Success, row.Retcode, row.Fun, c.success, c.retcode, c.fun)
			}
		})
	}
}

// A return of a node becomes the event of Salt's master: jid and id, then the minion's fields,
// then those that only the node has.
func TestBelow(t *testing.T) {
	value := func(kv ...any) wire.Raw { return raw(t, wire.NewMap(kv...)) }
	job := wire.SyndicJob{JID: "20261123000000000001", MasterID: "leaf1_master", Out: "highstate"}
	job.Fun = raw(t, "state.apply")
	for name, c := range map[string]struct {
		job  wire.SyndicJob
		val  wire.Raw
		keys string
		fun  string
	}{
		"a minion's own fields stay":       {job, value("return", true, "retcode", 0, "success", true, "fun", "test.ping"), "jid id return retcode success fun master_id out", "test.ping"},
		"fun of the job where it has none": {job, value("return", true), "jid id return master_id fun out", "state.apply"},
		"jid and id are the node's":        {job, value("jid", "1", "id", "db1", "return", true), "jid id return master_id fun out", "state.apply"},
		"a job without any of them":        {wire.SyndicJob{JID: job.JID}, value("return", true), "jid id return", ""},
		"fun of a job that is nil":         {wire.SyndicJob{JID: job.JID, Fun: raw(t, nil)}, value("return", true), "jid id return", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ret, err := RowBelow(c.job, wire.MinionReturn{ID: "web1", Value: c.val}, 30)
			if err != nil {
				t.Fatal(err)
			}
			if got := fieldNames(t, ret.Full); got != c.keys {
				t.Errorf("fields %q, want %q", got, c.keys)
			}
			if ret.ID != "web1" || ret.JID != job.JID || ret.FunName() != c.fun {
				t.Errorf("id %q, jid %q, fun %q", ret.ID, ret.JID, ret.FunName())
			}
		})
	}
}

func TestBelow_Refused(t *testing.T) {
	job := wire.SyndicJob{JID: "20261123000000000001"}
	for name, c := range map[string]struct {
		mr    wire.MinionReturn
		depth int
		want  string
	}{
		"the reader found that it is none": {wire.MinionReturn{ID: "web1", Err: errors.New("it is a number")}, 30, "it is a number"},
		"no map":                           {wire.MinionReturn{ID: "web1", Value: raw(t, "junk")}, 30, "map"},
		"cut off":                          {wire.MinionReturn{ID: "web1", Value: raw(t, wire.NewMap("return", "some text"))[:9]}, 30, ""},
		"without a result":                 {wire.MinionReturn{ID: "web1", Value: raw(t, wire.NewMap("retcode", 0))}, 30, "return"},
		"a level too deep":                 {wire.MinionReturn{ID: "web1", Value: raw(t, wire.NewMap("return", nested(31)))}, 30, `field "return"`},
		"at a small bound":                 {wire.MinionReturn{ID: "web1", Value: raw(t, wire.NewMap("return", true, "fun_args", nested(3)))}, 2, `field "fun_args"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := RowBelow(job, c.mr, c.depth)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that contains %q", err, c.want)
			}
		})
	}
	if _, err := RowBelow(job, wire.MinionReturn{ID: "web1", Value: raw(t, wire.NewMap("return", nested(30)))}, 30); err != nil {
		t.Errorf("as deep as allowed: %v", err)
	}
}

// The error in place of a return parses as a return that ends the job, with the reason and a mark.
func TestInPlace(t *testing.T) {
	ret := wire.Return{ID: "web1", JID: "20261123000000000001", Fun: raw(t, "test.ping"), User: "root", MasterID: "leaf1_master"}
	got, err := ErrorInPlace(ret, "top1", errors.New("it nests deeper than 30"))
	if err != nil {
		t.Fatal(err)
	}
	row := RowOf(got, time.Unix(0, 0))
	if row.Success || row.Retcode != 1 || row.Fun != "test.ping" || row.ID != "web1" || row.JID != ret.JID || row.MasterID != "leaf1_master" {
		t.Errorf("row %+v", row)
	}
	if s := text(t, got.Value); !strings.Contains(s, "web1") || !strings.Contains(s, "top1") || !strings.Contains(s, "nests deeper") {
		t.Errorf("error %q", s)
	}
	if !wire.IsErrorReturn(got.Full) {
		t.Error("it is not marked")
	}
}

// RowOutline keeps the readable fields of an invalid load.
func TestOutline(t *testing.T) {
	whole := raw(t, wire.NewMap("id", "liar", "jid", "20261123000000000001", "fun", "test.ping", "user", "root", "master_id", "leaf1"))
	ret := RowOutline("web1", whole)
	if ret.ID != "web1" || ret.JID != "20261123000000000001" || ret.FunName() != "test.ping" || ret.User != "root" || ret.MasterID != "leaf1" {
		t.Errorf("outline %+v: the id is the one that signed in", ret)
	}
	if ret := RowOutline("web1", raw(t, wire.NewMap("jid", 7, "user", []any{}))); ret.ID != "web1" || ret.JID != "" || ret.User != "" {
		t.Errorf("of fields of other kinds: %+v", ret)
	}
	if ret := RowOutline("web1", raw(t, "junk")); ret.ID != "web1" || ret.JID != "" {
		t.Errorf("of junk: %+v", ret)
	}
}

// Any input becomes a complete row, or a refusal with an error in its place.
func FuzzRows(f *testing.F) {
	f.Add([]byte(raw(f, wire.NewMap("return", true, "retcode", 0))), "20261123000000000001", 3)
	f.Add([]byte(raw(f, wire.NewMap("return", nested(5), "fun", []any{"a.b"}))), "20261123000000000001", 4)
	f.Add([]byte{0x81, 0xa6}, "", 0)
	f.Fuzz(func(t *testing.T, value []byte, jid string, depth int) {
		depth %= 64
		ret, err := RowBelow(wire.SyndicJob{JID: jid, MasterID: "m"}, wire.MinionReturn{ID: "web1", Value: value}, depth)
		if err != nil {
			ret = RowOutline("web1", value)
			if ret, err = ErrorInPlace(ret, "top1", err); err != nil {
				return // reported: it has no jid
			}
		} else if ferr := wire.FitFields(ret.Full, depth); ferr != nil {
			t.Errorf("taken deeper than %d: %v", depth, ferr)
		}
		if row := RowOf(ret, time.Unix(0, 0)); row.ID != "web1" || len(row.Full) == 0 {
			t.Errorf("row %+v", row)
		}
	})
}
