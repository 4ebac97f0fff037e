package commands

import (
	"context"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/files"
	"github.com/momtree/mom/master/server"
)

func init() {
	args := []string{"saltenv", "prefix", "fsbackend"}
	for _, c := range []struct {
		name, doc string
		form      files.Form
	}{
		{"_file_list", "The files of an environment, sorted.", files.Files},
		{"_file_list_emptydirs", "The empty directories of an environment, sorted.", files.EmptyDirs},
		{"_dir_list", "The directories of an environment, sorted.", files.Dirs},
	} {
		Register(server.Command{Name: c.name, Who: server.Peer, Args: args, Doc: "\n" + c.doc + "\n" + docList}, func(p *Parts) server.Handler {
			return lists{fileCommand{p.Files}, c.form}.list
		})
	}
	Register(server.Command{
		Name: "_symlink_list", Who: server.Peer, Args: args,
		Doc: `
The symbolic links of an environment, with their targets as written.
` + docList,
	}, func(p *Parts) server.Handler { return fileCommand{p.Files}.links })
}

// lists handles the commands that list entries of one kind.
type lists struct {
	fileCommand
	form files.Form
}

func (c lists) list(ctx context.Context, r *server.Request) (any, error) {
	d, err := load(r)
	if err != nil {
		return nil, err
	}
	env, ok := environment(d)
	if !ok {
		return []any{}, nil
	}
	raw, err := c.files.ListRaw(ctx, env, c.form, d.String("prefix"), backendsOf(d))
	return raw, later(err)
}

func (c fileCommand) links(ctx context.Context, r *server.Request) (any, error) {
	d, err := load(r)
	if err != nil {
		return nil, err
	}
	env, ok := environment(d)
	if !ok {
		return wire.NewMap(), nil
	}
	m, err := c.files.Links(ctx, env, d.String("prefix"), backendsOf(d))
	return m, later(err)
}

// backendsOf reads fsbackend: a string or a list of strings.
func backendsOf(d *wire.Map) string {
	if text := d.String("fsbackend"); text != "" {
		return text
	}
	text := ""
	for i, name := range d.Strings("fsbackend") {
		if i > 0 {
			text += ","
		}
		text += name
	}
	return text
}
