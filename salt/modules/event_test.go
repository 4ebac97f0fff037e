package modules

import (
	"errors"
	"testing"

	"github.com/momtree/mom/value"
)

func TestEvent_Send(t *testing.T) {
	t.Setenv("MOM_EVENT_TEST", "here")
	for _, tt := range []struct {
		name string
		args []any
		want m
	}{
		{"data", []any{"my/tag", value.NewMap("a", int64(1)), kw("__pub_fun", "event.send")}, m{"a": int64(1)}},
		{"keywords", []any{"my/tag", kw("x", "y")}, m{"x": "y"}},
		{"data over keywords", []any{"my/tag", value.NewMap("x", "z"), kw("x", "y")}, m{"x": "z"}},
		{"grains", []any{"my/tag", kw("with_grains", []any{"os", "nosuch"})}, m{"grains": m{"os": "Debian"}}},
		{"pillar", []any{"my/tag", kw("with_pillar", []any{"who"})}, m{"pillar": m{"who": "people"}}},
		{"environment", []any{"my/tag", kw("with_env", []any{"MOM_EVENT_TEST"})}, m{"environ": m{"MOM_EVENT_TEST": "here"}}},
		{"options", []any{"my/tag", kw("with_env_opts", true)}, m{"saltenv": "base", "pillarenv": nil}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := newEnv()
			same(t, "result", result(t, env, "event.send", tt.args...), any(true))
			same(t, "event", env.fired, []string{"master my/tag"})
			same(t, "data", plainValue(env.data[0]), any(tt.want))
		})
	}
	if r := run(t, newEnv(), "event.send", "t", "text"); r.Value != "Passed invalid arguments to event.send: data must be a map, not 'text'" {
		t.Errorf("result = %v", r.Value)
	}
}

// The fields of preload stand beside the data, and never replace the common fields of
// events.
func TestEvent_Preload(t *testing.T) {
	env := newEnv()
	var loads []any
	env.ask = func(load *value.Map) (any, error) {
		loads = append(loads, plainValue(load))
		return nil, nil
	}
	preload, data := value.NewMap("foo", "bar"), value.NewMap("a", int64(1))
	want := m{"cmd": "_minion_event", "id": "web-01", "tag": "my/tag", "data": m{"a": int64(1)}, "foo": "bar"}
	calls(t, env, []callCase{
		{"event.send", []any{"my/tag", data, preload}, true},
		{"event.fire_master", []any{data, "my/tag", kw("preload", preload)}, true},
		{"event.send", []any{"my/tag", data, "text"}, "Passed invalid arguments to event.send: preload must be a map, not 'text'"},
		{"event.send", []any{"my/tag", data, value.NewMap("foo", 1, "id", "other")}, "Passed invalid arguments to event.send: preload must not have 'id', which each event has"},
	})
	same(t, "loads", loads, []any{want, want})
	same(t, "events without it", env.fired, []string(nil))
	env.ask = nil
	same(t, "no master", result(t, env, "event.send", "my/tag", data, preload), any(false))
}

func TestEvent_Fire(t *testing.T) {
	env := newEnv()
	calls(t, env, []callCase{
		{"event.fire_master", []any{value.NewMap("a", int64(1)), "m/t"}, true},
		{"event.fire", []any{value.NewMap("a", int64(1)), "l/t"}, true},
	})
	same(t, "events", env.fired, []string{"master m/t", "local l/t"})
	env.fireErr = errors.New("away")
	calls(t, env, []callCase{
		{"event.fire_master", []any{value.NewMap(), "m/t"}, false},
		{"event.fire", []any{value.NewMap(), "l/t"}, false},
		{"event.send", []any{"m/t"}, false},
	})
}

func TestEvent_WithoutMaster(t *testing.T) {
	for option, v := range map[string]any{"local": true, "file_client": "local", "master_type": "disable"} {
		env := newEnv()
		env.options.Set(option, v)
		result(t, env, "event.send", "a/b")
		same(t, option, env.fired, []string{"local a/b"})
	}
	env := newEnv()
	env.options.Set("file_client", "local")
	same(t, "fire_master", result(t, env, "event.fire_master", value.NewMap(), "a/b"), any(false))
	env.options.Set("use_master_when_local", true)
	same(t, "fire_master", result(t, env, "event.fire_master", value.NewMap(), "a/b"), any(true))
}
