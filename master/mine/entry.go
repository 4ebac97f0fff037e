package mine

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// The fields of an entry with restricted access: a map of the value and of the minions that may see
// it (Salt's reference on states, §4).
const (
	fieldACL   = "__saltmine_acl__"
	fieldData  = "__data__"
	fieldAllow = "allow_tgt"
	fieldType  = "allow_tgt_type"
)

// entry is one mine value, decoded as far as needed.
type entry struct {
	value wire.Raw
	// held means that only the minions in allow may see the entry; otherwise all may.
	held bool
	// allow and kind are the target of these minions. kind is one of [target.Kinds].
	allow any
	kind  string
}

// readEntry decodes an entry as packed by the minion. An entry with an invalid target is visible to
// no minion; see [entry.allowed].
func readEntry(raw wire.Raw) (entry, error) {
	if !wire.IsMap(raw) {
		return entry{value: raw}, nil
	}
	e := entry{kind: "glob"}
	wrapped, named := false, false
	err := wire.Pairs(raw, func(key, val wire.Raw) error {
		name, err := wire.Str(key)
		if err != nil {
			return nil // a module's map whose keys are not strings
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
			if wire.IsNil(val) { // mine.send without allow_tgt_type
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

// packed returns the entry as its minion wrote it, which is also its form in the tree.
func (e entry) packed() (wire.Raw, error) {
	if !e.held {
		return e.value, nil
	}
	return wire.Encode(wire.NewMap(fieldData, e.value, fieldACL, 1, fieldAllow, e.allow, fieldType, e.kind))
}

// expanded returns the entry with the node groups in its allow_tgt expanded: other masters define
// them differently.
func (e entry) expanded(groups map[string]any) (entry, error) {
	if !e.held {
		return e, nil
	}
	var err error
	e.allow, e.kind, err = target.ExpandTarget(e.allow, e.kind, groups)
	return e, err
}

// allowed returns the minions that may see the entry. On error, none may.
func (e entry) allowed(groups map[string]any) (target.Expr, error) {
	return target.Parse(e.allow, e.kind, target.Options{Nodegroups: groups})
}
