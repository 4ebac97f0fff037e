package pillar

import (
	"sync"

	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/internal/target"
)

// keptTargets limits the cached parsed targets of top files.
const keptTargets = 10_000

// targets parses each target of top files once for all minions.
type targets struct {
	groups map[string]any
	mu     sync.Mutex
	kept   *lru.Guarded[[2]string, target.Expr]
}

func newTargets(groups map[string]any) *targets {
	return &targets{groups: groups, kept: lru.NewGuarded[[2]string, target.Expr](keptTargets, nil)}
}

func (t *targets) parse(tgt any, kind string) (target.Expr, error) {
	text, isText := tgt.(string)
	if isText {
		t.mu.Lock()
		e, ok := t.kept.Get([2]string{text, kind})
		t.mu.Unlock()
		if ok {
			return e, nil
		}
	}
	e, err := target.Parse(tgt, kind, target.Options{Nodegroups: t.groups})
	if err == nil && isText {
		t.mu.Lock()
		t.kept.Add([2]string{text, kind}, e)
		t.mu.Unlock()
	}
	return e, err
}
