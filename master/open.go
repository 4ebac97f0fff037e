package master

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/durable"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/auth"
	"github.com/momtree/mom/master/datacache"
	"github.com/momtree/mom/master/jobfiles"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/resources"
	"github.com/momtree/mom/returners"
)

// masterID returns the id of this master in events and job stores: `id`, by default the host name
// with "_master" appended. A top uses it in the tree too.
func masterID(c *config.Master) string {
	if c.ID != "" {
		return c.ID
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return host + "_master"
}

func (m *Master) openFolders() error {
	for _, dir := range []string{m.cfg.PkiDir, m.cfg.Cachedir, filepath.Join(m.cfg.Cachedir, "proc"), m.cfg.SockDir} {
		if err := durable.Folder(dir, 0o755); err != nil { // Salt's mode; secrets have their own
			return fmt.Errorf("make folder: %w", err)
		}
	}
	return jobfiles.Folders(m.cfg.Cachedir)
}

// openKeys opens the keys and the data of their owners.
func (m *Master) openKeys() (err error) {
	c := m.cfg
	m.keys, err = keys.OpenRing(keys.RingOptions{Config: c, ID: m.id, Fire: m.fire, Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.data = datacache.New(c.Cachedir, c.Bounds)
	if c.Cache != "localfs" {
		s, err := returners.OpenCache(c.Cache, m.returnerOptions())
		if err != nil {
			return err
		}
		m.data.Share(s, m.log, m.now)
	}
	m.resources = resources.Open(resources.Options{
		Cachedir: c.Cachedir, HasKey: m.keys.Accepted, Accepted: func() []string { return m.keys.List(keys.Accepted) }, Log: m.log,
	})
	m.bank = datacache.OpenBanks(filepath.Join(c.Cachedir, "banks")) // of runners
	return nil
}

// subject returns the data of a minion for target matching.
func (m *Master) subject(id string) target.Subject { return m.resources.Subject(m.data.Subject(id)) }

// openAccess opens what decides who may do what.
func (m *Master) openAccess() (err error) {
	c := m.cfg
	if m.access, err = access.Open(c, m.subject, m.log); err != nil {
		return err
	}
	m.logins, err = auth.New(auth.Options{Config: c, Rules: m.access.External.For, Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.audit = access.NewAudit(access.AuditOptions{Node: m.node, Fire: func(tag string, d *wire.Map) error { return m.bus.Fire(tag, d) }, Log: m.log, Now: m.now})
	m.signatures = keys.NewSignatures(keys.SignaturesOptions{
		SignJobs: c.SignJobs, Life: c.SignJobsLife, Require: c.RequireMinionSignMessages, Drop: c.DropMessagesSignatureFail,
		User: m.access.Own, Private: m.keys.Identity.Pair.Private, Keys: m.keys, Log: m.log, Now: m.now,
	})
	pid := 0
	if c.UniqueJid {
		pid = os.Getpid()
	}
	m.jids = jid.NewGenerator(m.now, pid)
	return nil
}
