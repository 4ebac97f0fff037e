package master

import (
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/value"
)

// renderVars are known to what this master renders for itself, the files of reactions and
// orchestrations: its options, without secrets.
func (m *Master) renderVars() *value.Map {
	opts, _ := wire.Normal(m.cfg.Shown()).(*value.Map)
	return value.NewMap("opts", opts)
}

var _ orchestrate.Env = runnerEnv{}
