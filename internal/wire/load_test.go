package wire_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

var stamp = time.Date(2026, 11, 21, 0, 0, 7, 279616000, time.UTC)

// stateReturn returns the load of a state run with n states.
func stateReturn(n int) *wire.Map {
	states := wire.NewMap()
	for i := range n {
		states.Set(fmt.Sprintf("file_|-conf%d_|-/etc/app/conf%d_|-managed", i, i), wire.NewMap(
			"name", fmt.Sprintf("/etc/app/conf%d", i), "changes", wire.NewMap(), "result", true,
			"comment", "File is in the correct state", "__sls__", "app", "__run_num__", i,
			"start_time", "03:04:05.678901", "duration", 12.34, "__id__", fmt.Sprintf("conf%d", i)))
	}
	return wire.NewMap("cmd", "_return", "id", "web01.example.com", "success", true, "return", states,
		"retcode", 0, "out", "highstate", "jid", "20240102030405678901", "fun", "state.apply", "fun_args", []any{"app"},
		"user", "root", "nonce", "5b79ea64ccd24fa49360a8a0db55bbbf", "ts", 1795219178, "tok", make([]byte, 256))
}

func pack(t testing.TB, v any) []byte {
	t.Helper()
	b, err := wire.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReturnFields(t *testing.T) {
	b := pack(t, wire.NewMap("id", "m1", "jid", "req", "return", nil, "retcode", 2, "success", false,
		"fun", []string{"test.ping", "test.echo"}, "schedule", "daily", "out", nil, "tok", "T", "nonce", "N", "ts", 5,
		"sig", []byte{0xff}, "metadata", wire.NewMap("a", 1), 7, "not text"))
	r, err := wire.ParseReturn(b)
	if err != nil {
		t.Fatal(err)
	}
	if r.Retcode != 2 || r.Success || !r.HasSuccess || r.FunName() != "test.ping,test.echo" || r.JID != "req" ||
		string(r.Tok) != "T" || r.Nonce != "N" || r.TS != 5 || string(r.Sig) != "\xff" || !wire.IsNil(r.Value) || r.Value == nil {
		t.Errorf("read as %+v", r)
	}
	if r.Extra.Len() != 1 || r.Extra.String("schedule") != "daily" {
		t.Errorf("extra %#v", r.Extra)
	}
	full, err := wire.DecodeMap(r.Full)
	if err != nil {
		t.Fatal(err)
	}
	if full.Has("tok") || full.Has("nonce") || full.Int("ts") != 5 || full.Len() != 12 {
		t.Errorf("full load %#v", full)
	}
}

func TestReturnNeeds(t *testing.T) {
	for _, drop := range []string{"id", "jid", "return"} {
		m := wire.NewMap("id", "m1", "jid", "1", "return", 1)
		m.Delete(drop)
		if _, err := wire.ParseReturn(pack(t, m)); !errors.Is(err, wire.ErrMissing) {
			t.Errorf("without %s: %v", drop, err)
		}
	}
}

// A load with a duplicate field is read as in Python.
func TestLastOfTwoWins(t *testing.T) {
	b := []byte("\x84\xa2id\xa2m1\xa3jid\xa11\xa6return\x01\xa2id\xa2m2")
	r, err := wire.ParseReturn(b)
	if err != nil || r.ID != "m2" {
		t.Errorf("id %q, %v", r.ID, err)
	}
	m, err := wire.DecodeMap(b)
	if err != nil || m.String("id") != "m2" || m.Len() != 3 {
		t.Errorf("%#v, %v", m, err)
	}
	v, err := wire.Field(b, "id")
	if s, _ := wire.Str(v); err != nil || s != "m2" {
		t.Errorf("%q, %v", s, err)
	}
}

func TestRetcodeAndSuccessOfSeveral(t *testing.T) {
	cases := []struct {
		retcode, success any
		code             int
		ok               bool
	}{
		{0, true, 0, true},
		{nil, nil, 0, false},
		{true, 1, 1, true},
		{"3", "x", 3, true},
		{"x", "", 1, false},
		{wire.NewMap("a", 0, "b", 4, "c", 2), wire.NewMap("a", true, "b", false), 4, false},
		{[]any{0, 0}, []any{true, true}, 0, true},
		{[]any{0, 1}, []any{true, false}, 1, false},
		{[]any{[]any{5}}, []any{}, 1, true},
	}
	for _, c := range cases {
		b := pack(t, wire.NewMap("id", "m", "jid", "1", "return", 1, "retcode", c.retcode, "success", c.success))
		r, err := wire.ParseReturn(b)
		if err != nil || r.Retcode != c.code || r.Success != c.ok {
			t.Errorf("%v %v: %d %v %v, want %d %v", c.retcode, c.success, r.Retcode, r.Success, err, c.code, c.ok)
		}
		again, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		m, _ := wire.DecodeMap(again)
		got, _ := m.Get("retcode")
		if diff := cmp.Diff(pack(t, c.retcode), pack(t, got)); diff != "" {
			t.Errorf("retcode changed: %s", diff)
		}
	}
}

func TestEnvelopeForms(t *testing.T) {
	for _, c := range []struct {
		m       *wire.Map
		version int
		want    error
	}{
		{wire.NewMap("enc", "clear", "load", wire.NewMap(), "version", "3"), 3, nil},
		{wire.NewMap("enc", "clear", "load", nil), 0, nil},
		{wire.NewMap("enc", "clear", "load", 1, "version", "x"), 0, wire.ErrType},
		{wire.NewMap("enc", "clear", "load", 1, "version", nil), 0, wire.ErrType},
		{wire.NewMap("enc", "aes", "load", wire.NewMap()), 0, wire.ErrType},
		{wire.NewMap("enc", "aes"), 0, wire.ErrMissing},
		{wire.NewMap("load", "x"), 0, wire.ErrMissing},
		{wire.NewMap("enc", 1, "load", "x"), 0, wire.ErrType},
		{wire.NewMap("enc", "aes", "load", "x", "id", []any{}), 0, wire.ErrType},
	} {
		e, err := wire.ParseEnvelope(pack(t, c.m))
		if !errors.Is(err, c.want) || e.Version != c.version {
			t.Errorf("%#v: version %d, %v", c.m, e.Version, err)
		}
	}
	if _, err := wire.ParseEnvelope(pack(t, []any{})); !errors.Is(err, wire.ErrType) {
		t.Errorf("a list: %v", err)
	}
	if _, err := (wire.Envelope{Enc: "aes"}).Encode(); !errors.Is(err, wire.ErrMissing) {
		t.Errorf("no load: %v", err)
	}
}

func TestSyndicReturnForms(t *testing.T) {
	job := wire.NewMap("id", "s1", "jid", "1", "fun", "test.ping", "return", wire.NewMap("m1", wire.NewMap("return", true, "fun", "x")),
		"master_id", "top", "out", "txt", "fun_args", []any{7}, "sig", "S")
	short := wire.NewMap("id", "s1", "jid", "2")
	s, err := wire.ParseSyndicReturn(pack(t, wire.NewMap("cmd", "_syndic_return", "load", []any{job, short})))
	if err != nil || len(s.Loads) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	one, err := wire.ParseSyndicReturn(pack(t, job))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Loads[0].Returns, one.Loads[0].Returns); diff != "" {
		t.Errorf("a job by itself reads otherwise: %s", diff)
	}
	good := wire.NewMap("id", "s1", "jid", "3", "fun", "test.ping", "return", wire.NewMap("m2", wire.NewMap("return", true)))
	for _, bad := range []any{wire.NewMap(5, wire.NewMap()), wire.NewMap("m1", true), []any{}} {
		job.Set("return", bad)
		s, err := wire.ParseSyndicReturn(pack(t, wire.NewMap("load", []any{job, good})))
		broken := s.Broken
		for _, r := range s.Loads[0].Returns { // a return that names its minion applies to that minion alone
			broken = append(broken, r.Err)
		}
		if err != nil || len(broken) == 0 || !errors.Is(broken[0], wire.ErrType) {
			t.Errorf("return %v: broken %v, %v", bad, broken, err)
		}
		// An unreadable part does not affect the others.
		if n := len(s.Loads); n == 0 || s.Loads[n-1].JID != "3" || len(s.Loads[n-1].Returns) != 1 {
			t.Errorf("return %v: left is %+v", bad, s.Loads)
		}
	}
	if _, err := wire.ParseSyndicReturn(pack(t, wire.NewMap("cmd", "x"))); !errors.Is(err, wire.ErrMissing) {
		t.Errorf("no load: %v", err)
	}
}

func TestPublishLoadForms(t *testing.T) {
	b := pack(t, wire.NewMap("cmd", "publish", "tgt", "*", "fun", "test.ping", "jid", nil, "to", 7, "ret", []any{"a", "b"},
		"key", "K", "kwargs", wire.NewMap("password", "P", "delimiter", ":"), "batch", 5))
	p, err := wire.ParsePublishLoad(b)
	if err != nil || p.JID != "" || !p.HasTo || p.To != 7 || p.Ret != "a,b" || p.Key != "K" || p.Extra.Int("batch") != 5 {
		t.Fatalf("%+v, %v", p, err)
	}
	j, _ := wire.ToJSON(p.Full)
	want := `{"cmd": "publish", "tgt": "*", "fun": "test.ping", "jid": null, "to": 7, "ret": ["a", "b"], "kwargs": {"delimiter": ":"}, "batch": 5}`
	if string(j) != want {
		t.Errorf("stored %s", j)
	}
	again, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	q, err := wire.ParsePublishLoad(again)
	if err != nil || q.Key != "K" || q.To != 7 || string(q.Kwargs) != string(p.Kwargs) || q.Extra.Int("batch") != 5 || !wire.IsList(q.Arg) {
		t.Errorf("%+v, %v", q, err)
	}
	for _, drop := range []string{"tgt", "fun"} {
		m := wire.NewMap("tgt", "*", "fun", "f")
		m.Delete(drop)
		if _, err := wire.ParsePublishLoad(pack(t, m)); !errors.Is(err, wire.ErrMissing) {
			t.Errorf("without %s: %v", drop, err)
		}
	}
	if _, err := wire.ParsePublishLoad(pack(t, wire.NewMap("tgt", "*", "fun", "f", "kwargs", "x"))); !errors.Is(err, wire.ErrType) {
		t.Errorf("kwargs as text: %v", err)
	}
}

// Every field of every typed load survives a round trip.
func TestPublicationRoundTrip(t *testing.T) {
	raw := func(v any) wire.Raw { return pack(t, v) }
	p := wire.Publication{
		Fun: raw([]string{"a", "b"}), Arg: raw([]any{[]any{}, []any{1}}), Tgt: raw([]string{"m1"}), JID: "1", Ret: "mysql",
		MasterID: "top", Delimiter: "|", ID: "m1", TgtType: "list", To: 0, HasTo: true, RetConfig: "alt", Metadata: raw(wire.NewMap("x", 1)),
		ModuleExecutors: raw([]string{"sudo"}), ExecutorOpts: raw(nil), RetKwargs: raw(wire.NewMap()), User: "me",
		AuthList: raw([]any{".*"}), Serial: 9, HasSerial: true, Extra: wire.NewMap("new", raw(true)),
	}
	b, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.ParsePublication(b)
	if err != nil {
		t.Fatal(err)
	}
	if full, _ := wire.Without(b, "serial"); string(full) != string(got.Full) {
		t.Errorf("full load %x", got.Full)
	}
	got.Full = nil
	if diff := cmp.Diff(p, got, cmp.AllowUnexported(wire.Map{})); diff != "" {
		t.Error(diff)
	}
	if _, err := wire.ParsePublication(pack(t, wire.NewMap("tgt", 1, "fun", 1, "jid", "1"))); !errors.Is(err, wire.ErrMissing) {
		t.Errorf("no arg: %v", err)
	}
}

func TestMinionEventForms(t *testing.T) {
	e, err := wire.ParseMinionEvent(pack(t, wire.NewMap("id", "m1", "pretag", "p", "tag", "t", "data", 1, "grains", wire.NewMap("os", "x"), "tok", "T")))
	if err != nil || !e.HasPretag || e.Tag != "t" || e.HasEvents || string(e.Data) != "\x01" || e.Full == nil {
		t.Fatalf("%+v, %v", e, err)
	}
	if tok, _ := wire.Field(e.Full, "tok"); tok != nil {
		t.Error("full load holds tok")
	}
	many, err := wire.ParseMinionEvent(pack(t, wire.NewMap("id", "m1", "pretag", nil, "events",
		[]any{wire.NewMap("tag", "a"), wire.NewMap("data", wire.NewMap(), "tag", "b")})))
	if err != nil || len(many.Events) != 2 || many.Events[0].Data != nil || many.HasPretag {
		t.Fatalf("%+v, %v", many, err)
	}
	for name, m := range map[string]*wire.Map{
		"no id": wire.NewMap("tag", "t"), "no tag": wire.NewMap("id", "m"),
		"event without tag": wire.NewMap("id", "m", "events", []any{wire.NewMap()}),
	} {
		if _, err := wire.ParseMinionEvent(pack(t, m)); !errors.Is(err, wire.ErrMissing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEventForms(t *testing.T) {
	bus, err := wire.Stamped(pack(t, wire.NewMap("a", "\xff", "b", "x")), stamp)
	if err != nil {
		t.Fatal(err)
	}
	b := wire.EventBytes("tag", bus)
	tag, data, err := wire.ParseEvent(b)
	if err != nil || tag != "tag" {
		t.Fatal(tag, err)
	}
	rest, at, ok, err := wire.SplitStamp(data)
	if err != nil || !ok || !at.Equal(stamp) || wire.Count(rest) != 2 {
		t.Errorf("%x %v %v %v", rest, at, ok, err)
	}
	for _, bad := range []string{"", "tag", "\n\n\x80", "tag\n\n", "tag\n\n\x90", "tag\n\x80"} {
		if _, _, err := wire.ParseEvent([]byte(bad)); err == nil {
			t.Errorf("%q taken for an event", bad)
		}
	}
	for text, want := range map[string]string{
		"2026-11-21T00:00:07.279616": "2026-11-21T00:00:07.279616", "2026-11-21T00:00:07": "2026-11-21T00:00:07",
		"2026-11-26T19:03:30.157933+00:00": "2026-11-26T19:03:30.157933", "2026-11-26T19:03:30+01:00": "2026-11-26T18:03:30", "now": "",
	} {
		got, err := wire.ParseStamp(text)
		if (err != nil) != (want == "") || err == nil && wire.StampText(got) != want {
			t.Errorf("%q read as %v, %v", text, got, err)
		}
	}
}
