package config

import (
	"errors"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// Aggregate are the states that are joined: all, none, or those of some modules.
type Aggregate struct {
	All     bool
	Modules []string
}

func (a *Aggregate) set(val any) error {
	if all, ok := val.(bool); ok {
		*a = Aggregate{All: all}
		return nil
	}
	list, ok := val.([]any)
	names := wire.Texts(list)
	if !ok || len(names) < len(list) {
		return errors.New("wants true, false, or a list of modules")
	}
	*a = Aggregate{Modules: names}
	return nil
}

// Value returns the value as in a file.
func (a Aggregate) Value() any {
	if a.Modules == nil {
		return a.All
	}
	return wire.AnyList(slices.Clone(a.Modules))
}
