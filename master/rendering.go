package master

import (
	"github.com/momtree/mom/master/reactor"
	"github.com/momtree/mom/value"
)

func (m *Master) engine() (reactor.Engine, error) { return nil, nil }

// renderer is the pipe of SLS files that do not say another.
func (m *Master) renderer() string { return "jinja|yaml" }

// renderVars are known to what this master renders for itself: its options.
func (m *Master) renderVars() *value.Map {
	return value.NewMap("opts", value.NewMap())
}
