package publish

import (
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/returners"
)

// grown is what a publication makes of the job that it extends.
type grown struct {
	all  []string    // the ids that the job names, with those of this publication; sorted
	here []string    // those of this publication; sorted
	more []string    // those that it adds
	expr target.Expr // it means all
	part int         // see [returners.Part]
}

// asks reports whether the publication names a minion.
func (g *grown) asks(id string) bool {
	_, found := slices.BinarySearch(g.here, id)
	return found
}

// extends tells whether a publication is of the stored job and of further minions, or of some
// that the job names already: then it came a second time. Both name their minions in a list.
func (j *Job) extends(old returners.Load) bool {
	before, here := named(old.Raw), sortedIDs(ownership.Listed(j.tgt))
	//mutant:publish-only-lists-grow
	if j.load.TgtType != "list" || len(before) == 0 || len(here) == 0 || !j.until.IsZero() {
		return false
	}
	all := sortedIDs(slices.Concat(before, here))
	expr, err := target.Parse(all, "list", target.Options{})
	if err != nil {
		return false
	}
	if len(all) == len(before) {
		j.Expr = expr // all of the job: after a restart nothing else tells it
		return true
	}
	g := &grown{all: all, here: here, expr: expr, more: slices.DeleteFunc(slices.Clone(here), func(id string) bool {
		_, known := slices.BinarySearch(before, id)
		return known
	})}
	if g.part = j.part(); g.part == 0 { // else the node above has numbered it
		g.part = max(len(g.all), old.Part()+1)
	}
	j.extra.Set(returners.PartField, max(g.part, old.Part()))
	j.grown = g
	return true
}

// aim notes whom a job is for. Of a list from a master above it is not certain: that may publish
// other parts of the job past this node, and their minions may move here with their returns.
func (s *Service) aim(j *Job) {
	switch {
	case j.load.TgtType == "list" && len(j.asks) > 0:
	case j.grown != nil:
		s.o.Policy.Widened(j.JID, j.load.TgtType, j.grown.expr)
	default:
		s.o.Policy.Aimed(j.JID, j.load.TgtType, j.Expr)
	}
}

// part numbers the publication among those of its job, as far as that is known.
func (j *Job) part() int {
	if j.grown != nil {
		return j.grown.part
	}
	v, ok := j.extra.Get(returners.PartField)
	if !ok {
		return 0
	}
	raw, err := wire.Encode(v)
	if err != nil {
		return 0
	}
	return returners.ReadPart(raw)
}

func (j *Job) name() returners.Part { return returners.Part{JID: j.JID, N: j.part()} }

// named lists the ids of a load whose target is a list, sorted; nil: it has another target, or is
// queued for minions that are away.
func named(load wire.Raw) []string {
	d, err := wire.DecodeMap(load)
	if err != nil || d.String("tgt_type") != "list" {
		return nil
	}
	if kwargs := d.Map("kwargs"); kwargs != nil && kwargs.Has("queue_until") {
		return nil
	}
	tgt, _ := d.Get("tgt")
	return sortedIDs(ownership.Listed(tgt))
}

func sortedIDs(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// containsAll tells whether all of some are among ids; both are sorted.
func containsAll(ids, some []string) bool {
	return !slices.ContainsFunc(some, func(id string) bool {
		_, found := slices.BinarySearch(ids, id)
		return !found
	})
}
