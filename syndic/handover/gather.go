package handover

// Gather decides when the senders begin a turn: some time after the first return,
// so that one batch holds many, or at once when a batch is full.
type Gather struct{ armed bool }

// Grown tells that the outbox holds rows. arm: set the timer that calls Due, to
// syndic_event_forward_timeout. now: send at once.
func (g *Gather) Grown(rows int64) (arm, now bool) {
	arm = !g.armed
	g.armed = true
	return arm, rows >= BatchRows
}

// Due is the end of that time: everything is sent now.
func (g *Gather) Due() { g.armed = false }
