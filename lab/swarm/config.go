package swarm

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/momtree/mom/internal/crypt"
)

// Config configures a [Swarm].
type Config struct {
	// Host and Port are the address of the master's request port. Port's default is 4506.
	Host string
	Port int
	// PublishPort overrides the publish port that the master reports; 0: as reported.
	PublishPort int

	// IDs names the minions; see [IDs].
	IDs IDs
	// Keys has the key pair of each minion.
	Keys *Keys
	// Source sets the addresses that minions connect from. The zero value leaves them to the
	// system.
	Source netip.Prefix

	// MomShare is the share, 0 to 1, of minions that behave like mom's; the others behave like
	// Salt's.
	MomShare float64
	// Protocol is the request protocol of stock minions: 3 (default), as in 3006.12 and
	// later, or 2.
	Protocol int
	// Filtering is Salt's zmq_filtering.
	Filtering bool

	// Answers sets how jobs are answered.
	Answers Answers
	// PillarID is the key under which each pillar has the id of its minion. Pillars with another
	// id count in [Work].Foreign. "": no check.
	PillarID string
	// Down, Mute and Die are shares, 0 to 1, of the minions: never started; receive jobs without
	// answering; die at each job that they receive.
	Down, Mute, Die float64
	// DieFor is how long a dead minion stays away; 0: for good.
	DieFor time.Duration
	// Herds are times at which many minions restart at once.
	Herds []Herd
	// Ramp spreads the start of the minions evenly over this time; 0: all at once.
	Ramp time.Duration

	// Timers are Salt's time-outs.
	Timers Timers
	// Version is the version that minions report. Default 3006.27, or 3006.0 for
	// Protocol 2.
	Version string
	// Log is the logger; nil: slog.Default().
	Log *slog.Logger
}

// Herd is a share of the minions that stop at a time and restart later, all at once.
type Herd struct {
	At    time.Duration // after all have signed in for the first time
	Away  time.Duration
	Share float64 // 0 to 1
}

// Timers are the time-outs and retries of a salt-minion. Zero values are Salt's
// defaults (Salt wire reference §15).
type Timers struct {
	AuthTimeout                 time.Duration // 5 s
	AuthTries                   int           // 7
	AcceptanceWait              time.Duration // 10 s
	RequestTimeout              time.Duration // 60 s
	RequestTries                int           // 3
	ReturnRetry, ReturnRetryMax time.Duration // 5 s, 10 s
	ReturnTries                 int           // 3
	Recon, ReconMax             time.Duration // 1 s, 10 s: recon_default, recon_max
}

func (t Timers) withDefaults() Timers {
	t.AuthTimeout = or(t.AuthTimeout, 5*time.Second)
	t.AuthTries = or(t.AuthTries, 7)
	t.AcceptanceWait = or(t.AcceptanceWait, 10*time.Second)
	t.RequestTimeout = or(t.RequestTimeout, time.Minute)
	t.RequestTries = or(t.RequestTries, 3)
	t.ReturnRetry = or(t.ReturnRetry, 5*time.Second)
	t.ReturnRetryMax = max(or(t.ReturnRetryMax, 10*time.Second), t.ReturnRetry)
	t.ReturnTries = or(t.ReturnTries, 3)
	t.Recon = or(t.Recon, time.Second)
	t.ReconMax = or(t.ReconMax, 10*time.Second)
	return t
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

func (c Config) withDefaults() Config {
	c.Port = or(c.Port, 4506)
	c.Protocol = or(c.Protocol, 3)
	if c.Version == "" {
		c.Version = "3006.27"
		if c.Protocol < 3 {
			c.Version = "3006.0"
		}
	}
	c.Timers = c.Timers.withDefaults()
	c.Log = or(c.Log, slog.Default())
	return c
}

// validate returns all faults of the configuration.
func (c Config) validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if c.Host == "" {
		fault("no master: name its host")
	}
	for name, port := range map[string]int{"request": c.Port, "publish": or(c.PublishPort, 4505)} {
		if port < 1 || port > 65535 {
			fault("%s port %d is no port: use 1 to 65535", name, port)
		}
	}
	if err := c.IDs.validate(); err != nil {
		faults = append(faults, err)
	}
	if c.Keys == nil {
		fault("no keys")
	}
	if c.Protocol != 2 && c.Protocol != 3 {
		fault("protocol %d is not spoken: use 2 or 3", c.Protocol)
	}
	if c.Source.IsValid() && c.Source.Addr().Is6() && strings.Count(c.Host, ":") == 0 {
		fault("the source %s is of IPv6, the master %s is not", c.Source, c.Host)
	}
	for name, share := range map[string]float64{"mom": c.MomShare, "down": c.Down, "mute": c.Mute, "die": c.Die} {
		if share < 0 || share > 1 {
			fault("the share %s is %g: use 0 to 1", name, share)
		}
	}
	if sum := c.Down + c.Mute + c.Die; sum > 1 {
		fault("the shares down, mute and die are %g together: at most 1", sum)
	}
	for _, h := range c.Herds {
		if h.At < 0 || h.Away < 0 || h.Share < 0 || h.Share > 1 {
			fault("herd at %v, away %v, share %g: times are not negative, a share is 0 to 1", h.At, h.Away, h.Share)
		}
	}
	return errors.Join(append(faults, c.Answers.validate())...)
}

// algorithms are those of the sign-in; all masters support them.
const (
	encAlgo = crypt.OAEPSHA1
	sigAlgo = crypt.PKCS1SHA1
)
