package master

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
)

// TestUnserved_InThePillar: if the configuration names file sources that are not served, each
// minion gets the error that makes Salt's refuse to apply states, and pillar.items shows it. Target
// matching with -I does not see it.
func TestUnserved_InThePillar(t *testing.T) {
	for name, c := range map[string]struct {
		raw  map[string]any
		want any
	}{
		"nothing is configured": {nil, nil},
		"hgfs":                  {map[string]any{"hgfs_remotes": []any{"x"}}, []any{"this master (mom) does not serve the files or states of hgfs_remotes, which has no effect"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(cfg *config.Master) { cfg.Raw, cfg.MinionDataCache = c.raw, true })
			r.start()
			p := r.pillarOf("m1", wire.NewMap("a", "b"))
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
