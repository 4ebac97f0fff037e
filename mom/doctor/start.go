package doctor

import (
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/mom/daemons"
)

const areaStart = "start"

// lookStart constructs the daemons with their own code. It does not repeat errors of other
// checks.
func lookStart(p *patient) {
	if !p.readable {
		return // lookOptions reports it
	}
	if len(p.conf.SyndicMaster) > 0 && p.conf.Place("syndic_master") != (config.Place{}) {
		const role = "node"
		node, _, err := config.LoadSyndic(p.dir)
		if err != nil {
			p.refused(role, err)
			return
		}
		p.tryMaster(role, node)
	} else {
		p.tryMaster("master", nil)
	}
	if p.conf.RestCherrypy != nil || p.conf.RestTornado != nil || p.conf.Api {
		p.try("API", daemons.TryAPI(p.dir, p.conf))
	}
}

// tryMaster checks that a master or node can be constructed, and reports the entries of its options
// that it ignores.
func (p *patient) tryMaster(role string, node *config.Syndic) {
	left := config.NewLeftOut(slog.DiscardHandler)
	//mutant:access-faults-are-found
	err := daemons.TryMaster(p.conf, node, slog.New(left))
	for _, e := range left.List() {
		if !p.knows(e.Text) {
			p.fails(e.Option, e.Place, "mend it", "%s", e.Text)
		}
	}
	p.try(role, err)
}

// try checks that a daemon can be constructed.
func (p *patient) try(role string, err error) {
	if err == nil {
		p.works(areaStart, role, "it starts with this configuration")
		return
	}
	p.refused(role, err)
}

// refused reports each part of an error that prevents a daemon from starting.
func (p *patient) refused(role string, err error) {
	for _, e := range each(err) {
		if text := e.Error(); !p.knows(text) {
			p.fails(areaStart, role, "change it: the daemon does not start with it", "%s", text)
		}
	}
}

// knows reports whether another check has found a fault.
func (p *patient) knows(text string) bool {
	return slices.ContainsFunc(p.Findings, func(f Finding) bool {
		return f.Level == Fails && (strings.Contains(text, f.What) || strings.Contains(f.What, text))
	})
}

// alone constructs a master with one part of the configuration and defaults for other parts that may
// fail. set adds the part.
func (p *patient) alone(set func(*config.Master)) error {
	c := *p.conf
	c.ExternalAuth, c.FileserverBackend, c.ExtPillar, c.MasterTops = nil, []string{"roots"}, nil, nil
	c.Reactor, c.Schedule = config.Reactors{}, nil
	c.MasterJobCache, c.ExtJobCache, c.EventReturn = "local_cache", "", nil
	c.KeyPass, c.MasterSignPubkey, c.Cache = "", false, "localfs"
	var err error
	if c.PkiDir, err = p.pki(); err != nil {
		return err
	}
	set(&c)
	return daemons.TryMaster(&c, nil, slog.New(slog.DiscardHandler))
}

// pki creates a temporary directory with a key pair, so that a fault of the master's own pair is not
// reported for each part.
func (p *patient) pki() (string, error) {
	if p.tried != "" {
		return p.tried, nil
	}
	dir, err := os.MkdirTemp("", "mom-doctor")
	if err != nil {
		return "", err
	}
	p.tried = dir
	_, err = crypt.EnsureKeyPair(dir, "master", 2048)
	return dir, err
}
