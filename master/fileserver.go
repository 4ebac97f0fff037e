package master

import (
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/runners"

	_ "github.com/momtree/mom/master/files/gitfs"    // a backend
	_ "github.com/momtree/mom/master/files/httpfs"   // a backend
	_ "github.com/momtree/mom/master/files/minionfs" // a backend
	_ "github.com/momtree/mom/master/files/roots"    // a backend
	_ "github.com/momtree/mom/master/files/upstream" // a backend
)

var _ runners.FileServer = runnerEnv{}

// openFiles opens the file server.
func (m *Master) openFiles() (err error) {
	m.files, err = files.New(files.Options{Config: m.cfg, Above: &m.above, Fire: m.fire, Log: m.log, Now: m.now})
	m.inbox = files.NewInbox(m.cfg)
	return err
}

// Files is the file server, for whoever works for this master and needs its files.
func (m *Master) Files() *files.Server { return m.files }

// Files lets runners ask the file server.
func (e runnerEnv) Files() *files.Server { return e.m.files }
