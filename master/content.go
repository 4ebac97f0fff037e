package master

import (
	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/master/files"
	_ "github.com/momtree/mom/master/files/gitfs"    // a backend
	_ "github.com/momtree/mom/master/files/httpfs"   // a backend
	_ "github.com/momtree/mom/master/files/roots"    // two backends
	_ "github.com/momtree/mom/master/files/upstream" // a backend
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/mine"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/tops"
)

// openContent opens the file server, the pillar compiler and master_tops.
func (m *Master) openContent() (err error) {
	m.files, err = files.New(files.Options{Config: m.cfg, Above: &m.above, Fire: m.fire, Log: m.log, Now: m.now})
	if err != nil {
		return err
	}
	m.inbox = files.NewInbox(m.cfg)
	m.templates = &pillar.Extra{}
	c, err := pillar.New(pillar.Options{
		Config: m.cfg, Renderer: m.engines.New, Decrypter: m.engines.SecretKeys(), Functions: m.templates, Log: m.log, Now: m.now,
	})
	if err != nil {
		return err
	}
	m.pillars = pillar.NewService(c, &m.above)
	m.tops, err = tops.New(m.cfg.MasterTops, m.cfg.Bounds, m.log)
	return err
}

// Files returns the file server.
func (m *Master) Files() *files.Server { return m.files }

// openEntries opens the mine entries of this master's minions.
func (m *Master) openEntries() {
	m.entries = mine.NewEntries(mine.EntriesOptions{
		Cachedir: m.cfg.Cachedir, MaxSize: m.cfg.MineMaxSize, Nodegroups: m.cfg.Nodegroups, Log: m.log, Now: m.now,
	})
}

// openMine creates the mine.
func (m *Master) openMine() {
	c := m.cfg
	m.mine = mine.New(mine.Options{
		Ctx: m.ctx, Cachedir: c.Cachedir, Entries: m.entries, Keep: c.MinionDataCache || c.EnforceMineCache, Depth: c.Bounds.Depth,
		Bounds: c.Bounds, Rules: c.MineGet, Start: c.AclMatch == config.AclMatchStart, Nodegroups: c.Nodegroups,
		Minions: func() []string { return m.keys.List(keys.Accepted) }, Accepted: m.keys.Accepted,
		Subject: m.subject, Where: m.policy.Where,
		Data: m.below.Data, Above: &m.above, Below: m.tree.Node, Owns: m.nodeReports,
		Trespassed: m.policy.Trespassed, Log: m.log, Now: m.now,
	})
}

// nodeReports reports whether a node directly below has reported a minion and may answer for it.
func (m *Master) nodeReports(node, id string) bool {
	return m.policy.Claims().Has(node, id) && m.policy.MayAnswer(node, id) == nil
}
