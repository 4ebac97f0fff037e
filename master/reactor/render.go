package reactor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// maxSLS limits a file, in bytes.
const maxSLS = 16 << 20

// reactions renders the files of an event to reactions, in order. As in Salt, a file that cannot be
// rendered is logged and skipped, and one with an invalid form prevents all reactions.
func (r *Reactor) reactions(ctx context.Context, tag string, data *value.Map, slss []string) ([]low, error) {
	high := value.NewMap()
	for _, sls := range slss {
		for _, f := range r.find(ctx, sls, tag) {
			one, err := r.render(ctx, f, tag, data)
			if err != nil {
				r.failed.Add(1)
				r.o.Log.Error(fmt.Sprintf("Failed to render %q", f.name), "tag", tag, "err", err) //nolint:sloglint // Salt's text
				continue
			}
			one.Range(func(id, body any) bool {
				if m, ok := body.(*value.Map); ok {
					m.Set("__sls__", f.name)
					m.Set(fromKey, sls)
				}
				high.Set(id, body)
				return true
			})
		}
	}
	if faults := verify(high); len(faults) > 0 {
		return nil, fmt.Errorf("Unable to render reactions for event %s due to errors (%s) in one or more of the sls files (%s)",
			tag, pyfmt.Repr(texts(faults)), pyfmt.Repr(texts(slss)))
	}
	return compile(high), nil
}

// fromKey is the field of a reaction with the option entry it comes from.
const fromKey = "__reactor__"

// file is an SLS file.
type file struct {
	name string
	path string // for imports; "": not from the file server
	data []byte
}

// find returns the files of an entry.
func (r *Reactor) find(ctx context.Context, sls, tag string) (out []file) {
	lost := func(name string, err error) {
		r.failed.Add(1)
		r.o.Log.Error(fmt.Sprintf("Can not render SLS %s for tag %s. File missing or not found.", name, tag), "err", err) //nolint:sloglint // Salt's text
	}
	if path, ok := strings.CutPrefix(sls, "salt://"); ok {
		err := errors.New("this master serves no files")
		var data []byte
		if r.o.Files != nil {
			data, err = r.o.Files.Open(ctx, "base", path)
		}
		if err != nil {
			lost(sls, err)
			return nil
		}
		return []file{{sls, path, data}}
	}
	names, err := filepath.Glob(sls)
	if err != nil || len(names) == 0 {
		lost(sls, err)
		return nil
	}
	slices.Sort(names)
	for _, name := range names {
		info, err := os.Stat(name)
		var data []byte
		switch {
		case err == nil && info.Size() > maxSLS:
			err = fmt.Errorf("%d bytes, at most %d", info.Size(), maxSLS)
		case err == nil:
			data, err = os.ReadFile(name)
		}
		if err != nil {
			lost(name, err)
			continue
		}
		out = append(out, file{name, "", data})
	}
	return out
}

// render renders one file. An empty file is an empty map.
func (r *Reactor) render(ctx context.Context, f file, tag string, data *value.Map) (*value.Map, error) {
	vars := r.o.Vars.Clone()
	if vars == nil {
		vars = value.NewMap()
	}
	vars.Set("tag", tag)
	vars.Set("data", data)
	v, err := r.o.Engine.SLS(ctx, render.Template{Source: f.data, Saltenv: "base", Path: f.path, Vars: vars}, r.o.Renderer)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return value.NewMap(), nil
	case *value.Map:
		return pad(v), nil
	}
	return nil, fmt.Errorf("it renders to %s, not to a mapping of reactions", pyfmt.Repr(v))
}
