package swarm

import (
	"fmt"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/config"
	engine "github.com/momtree/mom/lab/swarm"
)

// settings turns the options into those of the engine. conf is the master's
// configuration, nil without --publish.
func (f *flags) settings(conf *config.Master, log *slog.Logger) (engine.Config, error) {
	c := engine.Config{
		Host: f.master, Port: f.port, PublishPort: f.publishPort,
		IDs: engine.IDs{Pattern: f.id, First: f.first, Count: f.count}, Keys: f.keyFolder(),
		Protocol: f.protocol, Filtering: f.filtering,
		Answers: engine.Answers{Size: f.size}, PillarID: f.pillarID,
		Down: f.down, Mute: f.mute, Die: f.die, DieFor: f.dieFor, Ramp: f.ramp,
		Timers: engine.Timers{
			AuthTimeout: f.authTimeout, ReturnRetry: f.returnRetry, AcceptanceWait: f.acceptance,
			Recon: f.recon, ReconMax: f.reconM,
		},
		Log: log,
	}
	if conf != nil {
		if c.Host == "" {
			c.Host = reachable(conf.Interface)
		}
		if c.Port == 0 {
			c.Port = conf.RetPort
		}
	}
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	switch f.behave {
	case "mom":
		c.MomShare = 1
	case "mix":
		c.MomShare = f.share
	}
	var err error
	if c.Answers.Delay, err = engine.ParseDelay(f.delay); err != nil {
		return c, refuse("--delay: %w", err)
	}
	c.Source = engine.SourceFor(c.Host)
	if f.source != "" {
		if c.Source, err = parseSource(f.source); err != nil {
			return c, refuse("--source %s: %w", f.source, err)
		}
	}
	for _, text := range f.herds {
		h, err := parseHerd(text)
		if err != nil {
			return c, refuse("--herd %s: use SHARE@AFTER+AWAY, such as 0.5@30s+5s: %w", text, err)
		}
		c.Herds = append(c.Herds, h)
	}
	return c, nil
}

func (f *flags) keyFolder() *engine.Keys {
	k := &engine.Keys{Dir: f.keys, Count: f.pairs}
	switch {
	case f.shared:
		k.Count = 1
	case k.Count == 0:
		k.Count = max(f.first+f.count, 1)
	}
	return k
}

// reachable is where a master that listens there can be reached from its own machine.
func reachable(listens string) string {
	if ip, err := netip.ParseAddr(listens); err != nil || ip.IsUnspecified() {
		return "127.0.0.1"
	}
	return listens
}

func parseSource(text string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

func parseHerd(text string) (engine.Herd, error) {
	share, rest, _ := strings.Cut(text, "@")
	after, away, ok := strings.Cut(rest, "+")
	if !ok {
		return engine.Herd{}, fmt.Errorf("a part is lacking")
	}
	var h engine.Herd
	var err error
	if h.Share, err = strconv.ParseFloat(share, 64); err != nil {
		return h, fmt.Errorf("the share: %w", err)
	}
	if h.At, err = time.ParseDuration(after); err != nil {
		return h, err
	}
	h.Away, err = time.ParseDuration(away)
	return h, err
}
