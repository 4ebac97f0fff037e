package returns

// Gather decides when senders start: some time after the first return, so that a batch holds many,
// or at once when a batch is full.
type Gather struct {
	Rows  int // size of a full batch
	armed bool
}

// Grown reports that rows are in no window yet. arm: set the timer that calls Due to
// syndic_event_forward_timeout. now: send at once.
func (g *Gather) Grown(rows int64) (arm, now bool) {
	arm = !g.armed
	g.armed = true
	return arm, rows >= int64(g.Rows)
}

// Due reports that the timer has fired and everything is being sent.
func (g *Gather) Due() { g.armed = false }
