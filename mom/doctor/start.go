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

// lookStart constructs the daemons as they construct themselves. An error that another
// check has reported is not reported again.
func lookStart(p *patient) {
	if !p.readable {
		return // lookOptions tells why
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

// tryMaster reports whether a master or node could be constructed, and the entries of its
// options that it leaves out.
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

// try reports whether a daemon could be constructed.
func (p *patient) try(role string, err error) {
	if err == nil {
		p.works(areaStart, role, "it starts with this configuration")
		return
	}
	p.refused(role, err)
}

// refused reports each part of an error by which a daemon does not start.
func (p *patient) refused(role string, err error) {
	for _, e := range each(err) {
		if text := e.Error(); !p.knows(text) {
			p.fails(areaStart, role, "change it: the daemon does not start with it", "%s", text)
		}
	}
}

// knows tells whether a fault was found by another check.
func (p *patient) knows(text string) bool {
	return slices.ContainsFunc(p.Findings, func(f Finding) bool {
		return f.Level == Fails && (strings.Contains(text, f.What) || strings.Contains(f.What, text))
	})
}

// alone constructs a master that has one part of the configuration and the defaults of
// what may fail beside it. set adds that part.
func (p *patient) alone(set func(*config.Master)) error {
	c := *p.conf
	c.ExternalAuth, c.FileserverBackend, c.ExtPillar, c.MasterTops = nil, []string{"roots"}, nil, nil
	c.Reactor, c.Schedule = config.Reactors{}, nil
	c.KeyPass, c.MasterSignPubkey = "", false
	var err error
	if c.PkiDir, err = p.pki(); err != nil {
		return err
	}
	set(&c)
	return daemons.TryMaster(&c, nil, slog.New(slog.DiscardHandler))
}

// pki is a temporary folder with a key pair, so that a fault of the master's own pair is
// not reported as one of each part.
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
