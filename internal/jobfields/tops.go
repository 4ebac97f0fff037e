package jobfields

import "github.com/momtree/mom/internal/wire"

// TopsField is the field of a publication with the ids of the tops that share the job: a node
// reports to those of its parents, as if each had published it.
const TopsField = "mom_tops"

// maxTops bounds the tops of a publication.
const maxTops = 16

// Tops returns the tops that share a job, or nil.
func Tops(p wire.Publication) []string {
	if p.Extra == nil {
		return nil
	}
	v, ok := p.Extra.Get(TopsField)
	if !ok {
		return nil
	}
	raw, err := wire.Encode(v)
	if err != nil {
		return nil
	}
	ids, err := wire.Strings(raw)
	if err != nil || len(ids) > maxTops { // malformed: as without the field
		return nil
	}
	return ids
}
