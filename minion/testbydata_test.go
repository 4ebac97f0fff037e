package minion

import (
	"fmt"
	"testing"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/value"
)

// As in Salt, `test: True` in the pillar makes runs test runs, unless the call sets test.
func TestStates_TestByPillar(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{})
	cfg := testConfig(t, m)
	cfg.FileClient = "local"
	fun := []any{value.NewMap("__kwarg__", true, "fun", "test.succeed_with_changes", "name", "x")}
	off := []any{value.NewMap("__kwarg__", true, "fun", "test.succeed_with_changes", "name", "x", "test", false)}
	for _, c := range []struct {
		pillar *value.Map
		args   []any
		want   any
	}{
		{value.NewMap(), fun, true},
		{value.NewMap("test", true), fun, nil},
		{value.NewMap("test", true), off, true},
		{value.NewMap("test", "yes"), fun, true},
		{value.NewMap("master", value.NewMap("test", true)), fun, nil},
	} {
		res, err := call(t, cfg, CallOptions{Local: true, Fun: "state.single", Args: c.args, Pillars: fixedPillar{c.pillar}})
		if err != nil {
			t.Fatal(err)
		}
		states, _ := res.Return.(*value.Map)
		var got any = fmt.Sprint(res.Return)
		states.Range(func(_, v any) bool {
			if s, ok := v.(*value.Map); ok {
				got, _ = s.Get("result")
			}
			return true
		})
		if got != c.want {
			t.Errorf("pillar %v: %v, want %v", c.pillar.Keys(), got, c.want)
		}
	}
}
