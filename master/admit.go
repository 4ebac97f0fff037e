package master

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/server"
)

// admit reads a job, given by the owner of a key, if the sender may start it.
func (m *Master) admit(p wire.PublishLoad, owner string, calls []access.Call) (*job, error) {
	may, err := m.access.Admit(p, owner, calls)
	if err != nil {
		return nil, err
	}
	j, err := m.readJob(p, may.Trusted)
	if err != nil {
		return nil, err
	}
	if !may.Covers(j.Minions) {
		return nil, server.ErrNotAllowed
	}
	j.rules = may.Rules
	return j, nil
}
