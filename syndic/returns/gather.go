package returns

// Gather decides when the senders begin a turn: some time after the first return,
// so that one batch holds many, or at once when a batch is full.
type Gather struct {
	Rows  int // a batch is full with so many
	armed bool
}

// Grown tells that the outbox holds rows that are not in a window. arm: set the timer that calls Due, to
// syndic_event_forward_timeout. now: send at once.
func (g *Gather) Grown(rows int64) (arm, now bool) {
	arm = !g.armed
	g.armed = true
	return arm, rows >= int64(g.Rows)
}

// Due is the end of that time: everything is sent now.
func (g *Gather) Due() { g.armed = false }
