package master

import (
	"github.com/momtree/mom/master/files"

	_ "github.com/momtree/mom/master/files/roots" // a backend
)

// openFiles opens the file server.
func (m *Master) openFiles() (err error) {
	m.files, err = files.New(files.Options{Config: m.cfg, Above: &m.above, Fire: m.fire, Log: m.log, Now: m.now})
	m.inbox = files.NewInbox(m.cfg)
	return err
}

// Files is the file server, for whoever works for this master and needs its files.
func (m *Master) Files() *files.Server { return m.files }
