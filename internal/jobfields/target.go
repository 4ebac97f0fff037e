package jobfields

import (
	"fmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// TargetField is the field of a publication with the target that its list replaces.
const TargetField = "mom_target"

// TargetList is the list that a publication is narrowed to.
type TargetList struct {
	IDs []string
	// Open reports that for some ids it is unknown whether the target matches them. Each minion
	// then evaluates the target too.
	Open bool
	// Plain reports that the target was evaluated by its form only, and may be sent to peers
	// that do not know the field.
	Plain bool
}

// Narrow narrows a publication to a list.
func Narrow(p wire.Publication, l TargetList) (wire.Publication, error) {
	raw, err := wire.Encode(wire.NewMap("tgt", p.Tgt, "tgt_type", p.TgtType, "delimiter", p.Delimiter, "open", l.Open, "plain", l.Plain))
	if err != nil {
		return p, fmt.Errorf("target of job %s: %w", p.JID, err)
	}
	extra := wire.NewMap()
	if p.Extra != nil {
		extra = p.Extra.Clone()
	}
	extra.Set(TargetField, wire.Raw(raw))
	p.Extra = extra
	return narrow(p, p.Tgt, p.TgtType, p.Delimiter, l)
}

// NarrowFurther narrows a narrowed publication to some of its ids.
func NarrowFurther(p wire.Publication, ids []string) (wire.Publication, error) {
	asked, l, ok, err := Requested(p)
	if err != nil || !ok {
		return p, err
	}
	l.IDs = ids
	return narrow(p, asked.Tgt, asked.TgtType, asked.Delimiter, l)
}

func narrow(p wire.Publication, tgt wire.Raw, kind, delimiter string, l TargetList) (wire.Publication, error) {
	p.TgtType, p.Delimiter = "list", ""
	var list any = append([]string{}, l.IDs...)
	if l.Open && len(l.IDs) > 0 {
		v, err := wire.Decode(tgt)
		if err == nil {
			list, p.TgtType, err = target.NarrowTo(l.IDs, v, kind, delimiter)
		}
		if err != nil {
			return p, fmt.Errorf("target of job %s: %w", p.JID, err)
		}
	}
	raw, err := wire.Encode(list)
	if err != nil {
		return p, fmt.Errorf("list of job %s: %w", p.JID, err)
	}
	p.Tgt = raw
	return p, nil
}

// Requested returns a publication as it was requested. ok is false for one that is not
// narrowed, which is returned unchanged. It does not read the ids: see [NarrowedIDs].
func Requested(p wire.Publication) (asked wire.Publication, l TargetList, ok bool, err error) {
	if p.Extra == nil || !p.Extra.Has(TargetField) {
		return p, TargetList{}, false, nil
	}
	v, _ := p.Extra.Get(TargetField)
	raw, _ := v.(wire.Raw)
	f, err := wire.DecodeMap(raw)
	if err != nil {
		return p, TargetList{}, false, fmt.Errorf("%s of job %s: %w", TargetField, p.JID, err)
	}
	tgt, err := wire.Field(raw, "tgt")
	if err != nil || len(tgt) == 0 {
		return p, TargetList{}, false, fmt.Errorf("%s of job %s has no target", TargetField, p.JID)
	}
	asked = p
	asked.Extra = p.Extra.Clone()
	asked.Extra.Delete(TargetField)
	asked.Tgt, asked.TgtType, asked.Delimiter = tgt, f.String("tgt_type"), f.String("delimiter")
	return asked, TargetList{Open: f.Bool("open"), Plain: f.Bool("plain")}, true, nil
}

// NarrowedIDs returns the ids that a publication was narrowed to.
func NarrowedIDs(p wire.Publication) ([]string, error) {
	v, err := wire.Decode(p.Tgt)
	if err != nil {
		return nil, fmt.Errorf("list of job %s: %w", p.JID, err)
	}
	list, _ := wire.AsList(v)
	if p.TgtType == "list" {
		return wire.Texts(list), nil
	}
	if len(list) == 0 {
		return nil, nil
	}
	first, _ := list[0].(string)
	return target.ListedIn(first), nil
}
