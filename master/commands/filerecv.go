package commands

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/momtree/mom/internal/logs"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
)

func init() {
	Register(server.Command{
		Name: "_file_recv", Who: server.Proven, Args: []string{"path", "loc", "data", "size"},
		Doc: `
Accepts a chunk of a file that a minion pushes, with file_recv. The answer says whether it
was accepted.

path
    The elements of its path, below cachedir/minions/ID/files.
loc
    The offset of the chunk; 0 starts the file again.
data
    The chunk.
size
    The size of the file at the minion, in bytes. It is not trusted: file_recv_max_size limits
    the chunks received.
`,
	}, func(p *Parts) server.Handler {
		return (&inbox{files: p.Inbox, stats: p.Stats, log: p.Log, now: time.Now}).take
	})
}

type inbox struct {
	files  *files.Inbox
	stats  *telemetry.Counters
	log    *slog.Logger
	now    func() time.Time
	warned logs.Throttle[string] // by minion
}

func (c *inbox) take(_ context.Context, r *server.Request) (any, error) {
	d, err := load(r)
	if err != nil {
		return nil, err
	}
	p := files.Pushed{ID: r.ID, Data: d.Bytes("data")}
	list, isList := pathOf(d)
	at, isNumber := whole(d, "loc")
	if !isList || !isNumber || !d.Has("loc") {
		return c.refused(r.ID, errors.New("the load has no path or no offset")), nil
	}
	p.Parts, p.Offset = list, at
	switch err := c.files.Take(p); {
	case errors.Is(err, files.ErrNotTaken):
		return c.refused(r.ID, err), nil
	case err != nil:
		return nil, err
	}
	return true, nil
}

// pathOf reads the path, a list of strings.
func pathOf(d *wire.Map) ([]string, bool) {
	v, _ := d.Get("path")
	list, ok := v.([]any)
	out := make([]string, 0, len(list))
	for _, e := range list {
		s, isText := e.(string)
		ok = ok && isText
		out = append(out, s)
	}
	return out, ok && len(out) > 0
}

func (c *inbox) refused(id string, err error) bool {
	c.stats.Refused.Add(1)
	//mutant:refused-files-share-log-lines
	if n := c.warned.Note(id, c.now()); n > 0 {
		c.log.Warn("pushed file rejected", "minion", id, "times", n, "err", err)
	}
	return false
}
