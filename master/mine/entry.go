package mine

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// The fields of an entry that only some minions may see, which is a map of the value and
// of who they are (Salt's reference on states, §4).
const (
	fieldACL   = "__saltmine_acl__"
	fieldData  = "__data__"
	fieldAllow = "allow_tgt"
	fieldType  = "allow_tgt_type"
)

// entry is one value of a mine, read as far as it has to be.
type entry struct {
	value wire.Raw
	// held says that allow names those who may see it; otherwise all may.
	held bool
	// allow and kind are the target of those who may: kind is one of [target.Kinds].
	allow any
	kind  string
}

// readEntry reads an entry as the minion packed it. One that is held to what is no target is
// for nobody; see [entry.allowed].
func readEntry(raw wire.Raw) (entry, error) {
	if !wire.IsMap(raw) {
		return entry{value: raw}, nil
	}
	e := entry{kind: "glob"}
	wrapped, named := false, false
	err := wire.Pairs(raw, func(key, val wire.Raw) error {
		name, err := wire.Str(key)
		if err != nil {
			return nil // a map of a module, with keys that are no texts
		}
		switch name {
		case fieldACL:
			wrapped = true
		case fieldData:
			e.value = val
		case fieldAllow:
			named = true
			if e.allow, err = wire.Decode(val); err != nil {
				return fmt.Errorf("%s: %w", fieldAllow, err)
			}
		case fieldType:
			if wire.IsNil(val) { // as mine.send without allow_tgt_type
				return nil
			}
			if e.kind, err = wire.Str(val); err != nil {
				return fmt.Errorf("%s: %w", fieldType, err)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return entry{}, err
	case !wrapped:
		return entry{value: raw}, nil
	case e.value == nil:
		return entry{}, errors.New("it has no " + fieldData)
	}
	e.held = named
	return e, nil
}

// packed is the entry as it travels and as its minion wrote it.
func (e entry) packed() (wire.Raw, error) {
	if !e.held {
		return e.value, nil
	}
	return wire.Encode(wire.NewMap(fieldData, e.value, fieldACL, 1, fieldAllow, e.allow, fieldType, e.kind))
}

// expanded is the entry with the node groups in its allow_tgt replaced by what they mean at
// this master: elsewhere they mean others.
func (e entry) expanded(groups map[string]any) (entry, error) {
	if !e.held {
		return e, nil
	}
	var err error
	e.allow, e.kind, err = target.ExpandTarget(e.allow, e.kind, groups)
	return e, err
}

// allowed reads who may see it. An error means that nobody may.
func (e entry) allowed(groups map[string]any) (target.Expr, error) {
	return target.Parse(e.allow, e.kind, target.Options{Nodegroups: groups})
}
