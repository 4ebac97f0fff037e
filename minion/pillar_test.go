package minion

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/internal/channel/channeltest"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/modules"
)

// fixedPillar is a minion's own pillar that needs no compiling.
type fixedPillar struct{ pillar *wire.Map }

func (f fixedPillar) Compile(context.Context, modules.Env, modules.PillarOptions) (*wire.Map, error) {
	return f.pillar, nil
}

// A run of states whose pillar does not arrive in time applies nothing, and reports that as
// Salt does.
func TestPillar_TimesOut(t *testing.T) {
	m := channeltest.Start(t, channeltest.Rules{Handle: map[string]channeltest.Handler{
		"_master_opts": func(string, *wire.Map) any { return wire.NewMap() },
	}})
	cfg := testConfig(t, m)
	cfg.RequestChannelTimeout, cfg.RequestChannelTries = 200*time.Millisecond, 1
	start(t, cfg)
	m.AwaitSubscribers(t, 1)
	m.Await(t, "_minion_event", 2)
	m.Change(func(r *channeltest.Rules) {
		r.Answer = func(cmd string, reply []byte) []byte {
			if cmd == "_pillar" {
				return nil
			}
			return reply
		}
	})
	m.Publish(channeltest.Job("20260101000000000001", "m1", "state.single", "test.nop", "x"))
	ret := m.AwaitReturn(t, "20260101000000000001")
	want := "The minion function caused an exception: SaltClientError: Pillar timed out after 0 seconds"
	if text := ret.String("return"); !strings.HasPrefix(text, want) || ret.Int("retcode") != 1 || ret.Bool("success") {
		t.Errorf("%q, retcode %d, success %v", text, ret.Int("retcode"), ret.Bool("success"))
	}
}
