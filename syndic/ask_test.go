package syndic

import (
	"context"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
)

// Ask sends questions under this node's id, and uses the next parent when the first is away.
func TestAsk(t *testing.T) {
	rules := func(name string) channeltest.Rules {
		return channeltest.Rules{Handle: map[string]channeltest.Handler{"_file_envs": func(_ string, load *wire.Map) any {
			return []any{name, load.String("id")}
		}}}
	}
	a, b := startParent(t, rules("a")), startParent(t, rules("b"))
	n := plant(t, nil, a, b)
	ask := func() string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		raw, err := n.Ask(ctx, wire.NewMap("cmd", "_file_envs", "id", "forged"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := wire.Decode(raw)
		list, _ := v.([]any)
		if err != nil || len(list) != 2 || list[1] != "syn-a" {
			t.Fatalf("%v, %v", v, err)
		}
		return list[0].(string)
	}
	if _, err := n.Ask(t.Context(), wire.NewMap("cmd", "_file_envs")); err == nil {
		t.Error("answer without a connected parent")
	}
	n.run(t)
	n.awaitUp(t)
	first := ask()
	gone, other := a, "b"
	if first == "b" {
		gone, other = b, "a"
	}
	gone.Down()
	if got := ask(); got != other {
		t.Errorf("%s answers", got)
	}
}
