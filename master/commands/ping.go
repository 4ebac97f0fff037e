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
Returns the load, to check that the master answers.

greets
    A mom field: asks whether the event bus greets its readers. mom answers True; a Python
    master does not.
`,
	}, func(*Parts) server.Handler { return ping })
}

// maxPing limits echoed pings. Salt's pings have a few bytes.
const maxPing = 4 << 10

// ping echoes the load, as Salt does. A client may ask whether the event bus greets its readers,
// which Salt's does not; the answer is yes.
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
