package minion

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/minion/modules"
)

// fixedPillar is a minion's own pillar that needs no compiling.
type fixedPillar struct{ pillar *wire.Map }

func (f fixedPillar) Compile(context.Context, modules.Env, modules.PillarOptions) (*wire.Map, error) {
	return f.pillar, nil
}
