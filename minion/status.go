package minion

import "github.com/momtree/mom/internal/bus"

// Bus is the minion's local event bus.
func (m *Minion) Bus() *bus.Bus { return m.bus }

// Masters tells of each master the minion serves whether it is subscribed there
// now.
func (m *Minion) Masters() map[string]bool {
	out := map[string]bool{}
	for _, s := range m.sessions.Serving() {
		out[s.Name()] = s.Up()
	}
	return out
}
