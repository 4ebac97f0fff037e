package minion

import "github.com/momtree/mom/internal/bus"

// Bus returns the minion's local event bus.
func (m *Minion) Bus() *bus.Bus { return m.bus }

// Masters reports for each master that the minion serves whether its subscription is up.
func (m *Minion) Masters() map[string]bool {
	out := map[string]bool{}
	for _, s := range m.sessions.Serving() {
		out[s.Name()] = s.Up()
	}
	return out
}
