package presence

import "time"

// Config sets up a [Registry].
type Config struct {
	// Lease is how long a peer whose connection broke counts as Away before it
	// counts as Down. Default 5 s.
	Lease time.Duration
	// Known are peers of an earlier life of this master. They count as Away
	// for StartGrace (default 15 s), since all of them reconnect now, but for those that were
	// Gone. A stock minion among them was connected.
	Known []Peer
	// Sure says that the earlier life ended a moment ago and knew who was connected: a minion
	// that is not among Known, or Gone, did not lose its connection with it.
	Sure       bool
	StartGrace time.Duration
	// Asks says that connections without a session are asked who they are, and
	// answers entered by [Registry.Named]. Without it stock minions stay Untracked.
	Asks bool
	// Reconnect is the longest time a stock minion takes from the end of its
	// connection to the next one, and to its answer to who it is. Default 25 s: Salt
	// draws libzmq's reconnect interval R from recon_default to recon_default +
	// recon_max, 1 to 11 s, and libzmq waits R and a random part of R on top, so less
	// than 22 s; 3 s are for the connection and the answer.
	Reconnect time.Duration
	// Position is how far publications and sign-ins have gone by now: see [Before]. nil:
	// it stays 0, and nobody is known not to have heard one.
	Position func() int64
	// Up and Down are told of changes, one at a time and in order. An
	// announcement of a peer that is up already calls Up again: it may run other
	// jobs now. They must not call the registry.
	Up   func(Announcement)
	Down func(Peer)
	Now  func() time.Time
}

func (c *Config) fill() {
	if c.Lease <= 0 {
		c.Lease = 5 * time.Second
	}
	if c.StartGrace <= 0 {
		c.StartGrace = 15 * time.Second
	}
	if c.Reconnect <= 0 {
		c.Reconnect = 25 * time.Second
	}
	if c.Position == nil {
		c.Position = func() int64 { return 0 }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}
