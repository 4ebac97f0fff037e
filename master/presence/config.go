package presence

import "time"

// Config configures a [Registry].
type Config struct {
	// Lease is how long a peer whose connection broke counts as Away before it
	// counts as Down. Default 5 s.
	Lease time.Duration
	// Known lists the peers of the previous process. They count as Away for StartGrace
	// (default 15 s), as they reconnect now, except for those marked Gone. A stock minion
	// in the list was connected, a moment ago or, marked Gone, earlier.
	Known []Peer
	// Sure says that the previous process ended a moment ago and knew who was connected:
	// a minion that is not in Known, or is Gone there, was not connected.
	Sure       bool
	StartGrace time.Duration
	// Asks says that connections without a session are asked for their id, and answers
	// are passed to [Registry.Named]. If false, stock minions stay Untracked.
	Asks bool
	// Reconnect is the longest time from the end of a stock minion's connection to its
	// answer on the next one. Default 25 s: Salt draws libzmq's reconnect interval R from
	// recon_default to recon_default + recon_max, 1 to 11 s. libzmq waits R plus a random
	// part of R, less than 22 s; 3 s are for the connection and the answer.
	Reconnect time.Duration
	// Position counts publications and sign-ins: see [Before]. If nil it is always 0, and
	// every minion may have received every publication.
	Position func() int64
	Now      func() time.Time
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
