package publications

import (
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// Beside a master that does not ask its silent minions, a parent's questions must reach them.
func TestQuestionsAreRepublishedBesideSalt(t *testing.T) {
	probe := wire.Publication{JID: "20260301000000000002", Extra: wire.NewMap("mom_probe", wire.Raw{0xc3})}
	for _, questions := range []bool{false, true} {
		s := New(Options{Questions: questions, Remember: 1})
		if got := s.belongsHere(probe); got != questions {
			t.Errorf("questions %v: republished %v", questions, got)
		}
	}
}
