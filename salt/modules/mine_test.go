package modules

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/value"
)

// asked makes the fake master record requests and answer each with v.
func asked(e *fakeEnv, v any) *[]m {
	var got []m
	e.ask = func(load *value.Map) (any, error) {
		got = append(got, plainValue(load).(m))
		return v, nil
	}
	return &got
}

// The configured functions are run, and their results sent in one request in the form of
// Salt's minion.
func TestMine_Update(t *testing.T) {
	e := newEnv()
	got := asked(e, true)
	if v := result(t, e, "mine.update"); v != nil || len(*got) != 0 {
		t.Errorf("nothing is configured: %v, %v", v, *got)
	}
	e.options.Set("mine_functions", m{"test.ping": []any{}, "lim": []any{m{"mine_function": "test.arg"}, "one", m{"k": int64(2)}, m{"allow_tgt": "m1"}}})
	e.pillar.Set("mine_functions", value.NewMap("test.echo", value.NewMap("text", "p"), "test.ping", value.NewMap("nosuch", 1), "no.such", []any{}, "cmd.run", []any{}))
	if v := result(t, e, "mine.update"); v != true {
		t.Error(v)
	}
	want := []m{{"cmd": "_mine", "id": "web-01", "clear": false, "data": m{
		"test.ping": true, "test.echo": "p",
		"lim": m{"__data__": m{"args": []any{"one"}, "kwargs": m{"k": int64(2)}}, "__saltmine_acl__": int64(1), "allow_tgt": "m1", "allow_tgt_type": nil},
	}}}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"no.such", "cmd.run"} {
		if !strings.Contains(e.logged(), text) {
			t.Errorf("the log does not name %s", text)
		}
	}
	*got = nil
	result(t, e, "mine.update", true, "mine_functions=[test.ping]")
	want = []m{{"cmd": "_mine", "id": "web-01", "clear": true, "data": m{"test.ping": true}}}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
	valid := m{"test.ping": []any{}, "test.echo": []any{m{"text": "p"}}, "lim": m{"test.arg": []any{"one", m{"k": int64(2)}}}, "cmd.run": []any{}}
	if diff := cmp.Diff(any(valid), result(t, e, "mine.valid")); diff != "" {
		t.Error(diff)
	}
	if r := run(t, e, "mine.update", "mine_functions=3"); r.Success {
		t.Error("a number was taken for functions")
	}
}

func TestMine_Send(t *testing.T) {
	e := newEnv()
	got := asked(e, true)
	result(t, e, "mine.send", "ali", "mine_function=test.echo", "text=abc", "allow_tgt=G@role:web", "allow_tgt_type=compound")
	want := []m{{"cmd": "_mine", "id": "web-01", "clear": false, "data": m{"ali": m{
		"__data__": "abc", "__saltmine_acl__": int64(1), "allow_tgt": "G@role:web", "allow_tgt_type": "compound",
	}}}}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
	if r := run(t, e, "mine.send", "no.such"); r.Value != false || r.Success || len(*got) != 1 {
		t.Errorf("%v; sent %d", r.Value, len(*got))
	}
	asked(e, "ERROR: the mine: mine_max_size")
	if r := run(t, e, "mine.send", "test.ping"); r.Success || !strings.Contains(PyStr(r.Value), "mine_max_size") {
		t.Errorf("refused: %v", r.Value)
	}
}

func TestMine_GetDeleteFlush(t *testing.T) {
	e := newEnv()
	got := asked(e, value.NewMap("web-01", 1, "b", 2))
	if v := result(t, e, "mine.get", "*", "net", "exclude_minion=True"); !cmp.Equal(v, any(m{"b": int64(2)})) {
		t.Error(v)
	}
	result(t, e, "mine.get", "G@a:b", "[x, y]", "compound")
	result(t, e, "mine.delete", "net")
	result(t, e, "mine.flush")
	want := []m{
		{"cmd": "_mine_get", "id": "web-01", "tgt": "*", "fun": "net", "tgt_type": "glob"},
		{"cmd": "_mine_get", "id": "web-01", "tgt": "G@a:b", "fun": "[x, y]", "tgt_type": "compound"},
		{"cmd": "_mine_delete", "id": "web-01", "fun": "net"},
		{"cmd": "_mine_flush", "id": "web-01"},
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Error(diff)
	}
	asked(e, "ERROR: the mine: too much")
	if r := run(t, e, "mine.get", "*", "net"); r.Success || !strings.Contains(PyStr(r.Value), "too much") {
		t.Errorf("%v", r.Value)
	}
	e.ask = func(*value.Map) (any, error) { return nil, errors.New("no master") }
	if r := run(t, e, "mine.get", "*", "net"); r.Success {
		t.Errorf("without a master: %v", r.Value)
	}
}

// The results of other minions are requested until all are there; a refusal is an error
// that names the function.
func TestPublish(t *testing.T) {
	e := newEnv()
	looks := 0
	var started m
	e.ask = func(load *value.Map) (any, error) {
		switch load.String("cmd") {
		case "minion_pub":
			started = plainValue(load).(m)
			return value.NewMap("jid", "20240101000000000009", "minions", []any{"a", "b"}), nil
		case "pub_ret":
			looks++
			rets := value.NewMap("a", value.NewMap("ret", "x", "out", "nested"))
			if looks > 1 {
				rets.Set("b", value.NewMap("ret", "y"))
			}
			return rets, nil
		}
		return nil, errors.New(load.String("cmd"))
	}
	if v := result(t, e, "publish.publish", "*", "test.arg", "[1, k=2]"); !cmp.Equal(v, any(m{"a": "x", "b": "y"})) || looks != 2 {
		t.Errorf("%v after %d looks", v, looks)
	}
	want := m{
		"cmd": "minion_pub", "fun": "test.arg", "arg": []any{int64(1), "k=2"}, "tgt": "*", "tgt_type": "glob", "ret": "", "tmo": int64(5), "form": "clean",
		"id": "web-01", "no_parse": []any{},
	}
	if diff := cmp.Diff(want, started); diff != "" {
		t.Error(diff)
	}
	if v := result(t, e, "publish.full_data", "*", "test.ping"); !cmp.Equal(v, any(m{"a": m{"ret": "x", "out": "nested"}, "b": m{"ret": "y"}})) {
		t.Error(v)
	}
	looks = -1000
	if v := result(t, e, "publish.publish", "*", "test.ping", "timeout=0"); !cmp.Equal(v, any(m{"a": "x"})) {
		t.Errorf("the time is over: %v", v)
	}
	if v := result(t, e, "publish.publish", "*", "publish.publish"); !cmp.Equal(v, any(m{})) {
		t.Errorf("in turn: %v", v)
	}
	asked(e, value.NewMap("jid", 0, "minions", []any{}))
	if v := result(t, e, "publish.publish", "zz", "test.ping"); v != nil {
		t.Errorf("nobody: %v", v)
	}
	asked(e, value.NewMap())
	if v := result(t, e, "publish.publish", "*", "cmd.run", "id"); !cmp.Equal(v, any(m{})) {
		t.Errorf("refused: %v", v)
	}
	got := asked(e, value.NewMap("up", true))
	if v := result(t, e, "publish.runner", "manage.up", "a,k=v"); !cmp.Equal(v, any(m{"up": true})) || !cmp.Equal((*got)[0]["arg"], any([]any{"a,k=v"})) {
		t.Errorf("%v %v", v, *got)
	}
}
