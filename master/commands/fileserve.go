package commands

import (
	"context"
	"errors"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "_serve_file", Who: server.Peer, Args: []string{"path", "saltenv", "loc", "gzip"},
		Doc: `
Returns a chunk of a file, of at most file_buffer_size bytes. The data is empty at and beyond
the end, and so is dest if the file does not exist.
` + docPath + `
loc
    The offset of the first byte.
gzip
    The compression level of the chunk, 1 to 9.
`,
	}, func(p *Parts) server.Handler { return fileCommand{p.Files}.serve })
}

func (c fileCommand) serve(ctx context.Context, r *server.Request) (any, error) {
	d, err := load(r)
	if err != nil {
		return nil, err
	}
	f, found, err := files.Found{}, false, error(nil)
	if d.Has("loc") {
		f, found, err = c.find(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	if !found {
		return wire.NewMap("data", []byte{}, "dest", ""), nil
	}
	loc, ok := whole(d, "loc")
	level, known := whole(d, "gzip")
	if !ok || !known {
		return nil, server.Logged("read " + f.Rel + ": the offset or the gzip level is not a number")
	}
	who := files.Asker{ID: r.ID}
	if r.Peer != nil {
		who.Gone = r.Peer.Gone
	}
	chunk, err := c.files.Read(ctx, who, f, loc, int(level))
	switch {
	case errors.Is(err, files.ErrBusy), ctx.Err() != nil:
		return nil, later(err)
	case errors.Is(err, files.ErrGone):
		return nil, server.Logged(err.Error())
	case err != nil:
		return nil, err
	}
	parts, err := packed(chunk, f.Rel)
	if err != nil {
		chunk.Done()
		chunk.Release()
		return nil, err
	}
	return server.Held{Parts: parts, Sealed: chunk.Done, Release: chunk.Release}, nil
}

// packed returns the answer {data, dest} or {data, dest, gzip}, packed around the data without a
// copy.
func packed(c files.Chunk, dest string) ([][]byte, error) {
	rest := wire.NewMap("dest", dest)
	if c.Gzip > 0 && len(c.Data) > 0 {
		rest.Set("gzip", int64(c.Gzip))
	}
	tail, err := wire.Encode(rest)
	if err != nil {
		return nil, err
	}
	// The first byte of such a small map is its type and size.
	head := append([]byte{tail[0] + 1}, "\xa4data"...)
	return [][]byte{wire.AppendHead(head, len(c.Data)), c.Data, tail[1:]}, nil
}

// whole reads an integer field. A missing field or None is 0.
func whole(d *wire.Map, field string) (n int64, ok bool) {
	switch v, _ := d.Get(field); v := v.(type) {
	case nil:
		return 0, true
	case int64:
		return v, true
	case bool:
		return d.Int(field), true
	}
	return 0, false
}
