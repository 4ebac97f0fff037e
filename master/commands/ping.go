package commands

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "ping", Who: server.Anyone, Args: []string{"greets"},
		Doc: `
Gives back the load, to see whether a master is there.

greets
    Our own addition: asks whether readers of the event bus are greeted. The answer
    says True, which that of a Python master does not.
`,
	}, func(*Parts) server.Handler { return ping })
}

// maxPing bounds the pings that are echoed; those of Salt have a few bytes.
const maxPing = 4 << 10

// ping echoes, as Salt does. To a client that asks whether readers of the event bus are
// greeted, which a Python master does not do, it says yes.
func ping(_ context.Context, r *server.Request) (any, error) {
	//mutant:ping-size
	if len(r.Load) > maxPing {
		return server.BadLoad, nil
	}
	if d, err := wire.DecodeMap(r.Load); err == nil && d.Has("greets") {
		d.Set("greets", true)
		return d, nil
	}
	return r.Load, nil
}
