package publish

import (
	"slices"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/returners"
)

// extension describes a publication that extends a job.
type extension struct {
	all  []string    // all ids of the job, including those of this publication; sorted
	here []string    // ids of this publication; sorted
	more []string    // ids not in the job before
	expr target.Expr // matches all
	part int         // see [returners.Part]
}

// asks reports whether the publication names a minion.
func (g *extension) asks(id string) bool {
	_, found := slices.BinarySearch(g.here, id)
	return found
}

// extends reports whether the publication is of the stored job: with further minions, which sets
// j.grown, or with a subset of the known ones, which is a repetition. Both targets must be lists.
func (j *Job) extends(old returners.Load) bool {
	before, here := listedIDs(old.Raw), sortedIDs(ownership.Listed(j.tgt))
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
		j.Expr = expr // the whole job: after a restart nothing else has it
		return true
	}
	g := &extension{all: all, here: here, expr: expr, more: slices.DeleteFunc(slices.Clone(here), func(id string) bool {
		_, known := slices.BinarySearch(before, id)
		return known
	})}
	if g.part = j.part(); g.part == 0 { // otherwise the node above has numbered it
		g.part = max(len(g.all), old.Part()+1)
	}
	j.extra.Set(returners.PartField, max(g.part, old.Part()))
	j.grown = g
	return true
}

// aim records the target of a job in the policy. A list from a master above is skipped: that
// master may publish other parts of the job around this node, and their minions may move here with
// their returns. So is a list of another top: returns of its next part may come before that part.
func (s *Service) aim(j *Job) {
	switch {
	case j.load.TgtType == "list" && (len(j.asks) > 0 || j.shared != nil):
	case j.grown != nil:
		s.o.Policy.Widened(j.JID, j.load.TgtType, j.grown.expr)
	default:
		s.o.Policy.Aimed(j.JID, j.load.TgtType, j.Expr)
	}
}

// part returns the number of the publication within its job, 0 if unknown.
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

func (j *Job) partName() returners.Part { return returners.Part{JID: j.JID, N: j.part()} }

// listedIDs returns the sorted ids of a load whose target is a list. It returns nil for other
// targets and for queued jobs.
func listedIDs(load wire.Raw) []string {
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

// containsAll reports whether ids contains all of some. Both are sorted.
func containsAll(ids, some []string) bool {
	return !slices.ContainsFunc(some, func(id string) bool {
		_, found := slices.BinarySearch(ids, id)
		return !found
	})
}
