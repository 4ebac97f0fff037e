package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/momtree/mom/internal/wire"
)

// Override says which users may choose a value that is an option for all others: true, false,
// or a map of login services to their users.
type Override struct {
	// All allows everybody.
	All bool
	// Users are the allowed users by login service.
	Users map[string][]string
}

// Allows reports whether a user of a login service may choose.
func (o Override) Allows(eauth, user string) bool {
	return o.All || slices.Contains(o.Users[eauth], user)
}

func (o *Override) set(val any) error {
	if all, ok := val.(bool); ok {
		*o = Override{All: all}
		return nil
	}
	m, err := mapping(val)
	if err != nil {
		return errors.New("wants true, false, or a mapping of login services to lists of users")
	}
	users := map[string][]string{}
	for _, eauth := range slices.Sorted(maps.Keys(m)) {
		list, ok := m[eauth].([]any)
		if one, text := m[eauth].(string); text {
			list, ok = []any{one}, true
		}
		users[eauth] = wire.Texts(list)
		if !ok || len(users[eauth]) < len(list) {
			return fmt.Errorf("%s: wants a list of users", eauth)
		}
	}
	*o = Override{Users: users}
	return nil
}

// value returns the value as in a file.
func (o Override) value() any {
	if o.Users == nil {
		return o.All
	}
	m := map[string]any{}
	for eauth, users := range o.Users {
		m[eauth] = wire.AnyList(users)
	}
	return m
}
