package master

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// TestUnserved_InThePillar: where the configuration names sources of a pillar or of
// states, each minion gets the error by which Salt's refuses to apply states and which
// pillar.items shows; where it names none, the empty pillar is the truth. What -I
// looks at has no errors in it.
func TestUnserved_InThePillar(t *testing.T) {
	const noPillar = "this master (mom) serves no pillar: pillar_roots at the master has no effect"
	const noFiles = "this master (mom) does not serve the files or states of gitfs_remotes, which has no effect"
	roots := map[string]any{"base": []any{"/srv/x"}}
	for name, c := range map[string]struct {
		raw  map[string]any
		want any
	}{
		"nothing is configured": {nil, nil},
		"empty options":         {map[string]any{"pillar_roots": map[string]any{}, "file_roots": nil}, nil},
		"pillar":                {map[string]any{"pillar_roots": roots}, []any{noPillar}},
		"both":                  {map[string]any{"pillar_roots": roots, "file_roots": roots, "gitfs_remotes": []any{"x"}}, []any{noPillar, noFiles}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(cfg *config.Master) { cfg.Raw, cfg.MinionDataCache = c.raw, true })
			r.open().unserved.Find(r.cfg, "/nonexistent")
			r.serve()
			m := r.minion("m1", "minion", "minion")
			raw, err := m.Pillar(t.Context(), channel.PillarRequest{Grains: wire.NewMap("a", "b")})
			if err != nil {
				t.Fatal(err)
			}
			p, err := wire.DecodeMap(raw)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := p.Get("_errors")
			if !cmp.Equal(got, c.want) {
				t.Error(cmp.Diff(c.want, got))
			}
			if d := r.data.Get("m1"); d == nil || strings.Contains(fmt.Sprint(d.Pillar), "_errors") {
				t.Errorf("the data cache holds %v", d)
			}
		})
	}
}
