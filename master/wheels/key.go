package wheels

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/value"
)

const keyMatch = `
match
    The ids: a glob, several separated by commas, or a list of globs.
`

func init() {
	Register(
		Function{Name: "key.list_all", Run: keyListAll, Doc: `
The ids of all keys by directory, and the key files of the master.

    wheel.cmd('key.list_all')
`},
		Function{Name: "key.accept", Args: []string{"match", "include_rejected=", "include_denied="}, Lists: []string{"match"}, Run: keyChange(keys.Editor.Accept, keys.Pending), Doc: `
Accepts pending keys.
` + keyMatch + `
include_rejected, include_denied : False
    Also keys in these directories.

    wheel.cmd('key.accept', ['web*'])
`},
		Function{Name: "key.reject", Args: []string{"match", "include_accepted=", "include_denied="}, Lists: []string{"match"}, Run: keyChange(keys.Editor.Reject, keys.Pending), Doc: `
Rejects pending keys.
` + keyMatch + `
include_accepted, include_denied : False
    Also keys in these directories.

    wheel.cmd('key.reject', ['web*'])
`},
		Function{Name: "key.finger", Args: []string{"match", "hash_type="}, Lists: []string{"match"}, Run: keyShown(func(c *Call, sel keys.Selection) ([]keys.Shown, error) {
			if err := selectOwn(c, sel); err != nil {
				return nil, err
			}
			return c.Env.Keys.Store.Finger(sel, c.Text("hash_type"))
		}), Doc: `
The fingerprints of keys by directory; local has those of the master.
` + keyMatch + `
hash_type
    The hash. Default: the option of that name.

    wheel.cmd('key.finger', ['web*'])
`},
		Function{Name: "key.key_str", Args: []string{"match"}, Lists: []string{"match"}, Run: keyShown(keyPrint), Doc: `
The texts of public keys, by directory.
` + keyMatch + `
    wheel.cmd('key.key_str', ['web*'])
`},
		Function{Name: "key.print", Args: []string{"match"}, Lists: []string{"match"}, Run: keyShown(keyPrint), Doc: `
Like key.key_str.
` + keyMatch + `
    wheel.cmd('key.print', ['web*'])
`},
		Function{Name: "key.name_match", Args: []string{"match"}, Lists: []string{"match"}, Run: keyNames, Doc: `
The matching ids, by directory of their keys.
` + keyMatch + `
    wheel.cmd('key.name_match', ['web*'])
`},
		Function{Name: "key.glob_match", Args: []string{"match"}, Lists: []string{"match"}, Run: keyNames, Doc: `
The matching ids, by directory of their keys. The name of key.name_match in Salt 3008.
` + keyMatch + `
    wheel.cmd('key.glob_match', ['web*'])
`},
		Function{Name: "key.delete", Args: []string{"match"}, Lists: []string{"match"}, Run: keyChange(keys.Editor.Delete, keys.Listed...), Doc: `
Deletes keys in any state.
` + keyMatch + `
    wheel.cmd('key.delete', ['web1'])
`},
	)
}

func keyListAll(_ context.Context, c *Call) (any, error) {
	out := value.NewMap()
	for _, s := range keys.Listed {
		out.Set(s.Folder(), c.Env.Keys.Store.List(s))
	}
	local, err := c.Env.Keys.Store.LocalKeys("*")
	out.Set(keys.Local.Folder(), local)
	return out, err
}

// selected returns the keys that a call selects.
func selected(c *Call) (keys.Selection, error) {
	globs, err := c.Patterns("match")
	if err == nil && globs == nil {
		err = functions.Invalid("match is empty")
	}
	if err != nil {
		return nil, err
	}
	return c.Env.Keys.Store.Match(strings.Join(globs, ","), keys.Listed...), nil
}

// selectOwn adds the master's own matching key files to a selection.
func selectOwn(c *Call, sel keys.Selection) error {
	globs, err := c.Patterns("match")
	if err != nil {
		return err
	}
	for _, name := range strings.Split(strings.Join(globs, ","), ",") {
		own, err := c.Env.Keys.Store.LocalKeys(name)
		if err != nil {
			return err
		}
		for _, file := range own {
			if !slices.Contains(sel[keys.Local], file) {
				sel[keys.Local] = append(sel[keys.Local], file)
			}
		}
	}
	return nil
}

// changed returns the answer of a function that changed keys: their ids, or an empty map if there
// are no keys, as Salt does.
func changed(done []keys.Key, err error) (any, error) {
	if len(done) == 0 {
		return value.NewMap(), err
	}
	ids := make([]string, 0, len(done))
	for _, k := range done {
		ids = append(ids, k.ID)
	}
	return value.NewMap("minions", ids), err
}

func keyNames(_ context.Context, c *Call) (any, error) {
	sel, err := selected(c)
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	for _, s := range keys.Listed {
		if len(sel[s]) > 0 {
			out.Set(s.Folder(), sel[s])
		}
	}
	return out, nil
}

func keyPrint(c *Call, sel keys.Selection) ([]keys.Shown, error) { return c.Env.Keys.Store.Print(sel) }

// keyShown returns a function that shows the matching keys.
func keyShown(show func(c *Call, sel keys.Selection) ([]keys.Shown, error)) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		sel, err := selected(c)
		if err != nil {
			return nil, err
		}
		shown, err := show(c, sel)
		out := value.NewMap()
		for _, k := range shown {
			folder := k.State.Folder()
			if !out.Has(folder) {
				out.Set(folder, value.NewMap())
			}
			out.Map(folder).Set(k.ID, k.Text)
		}
		return out, err
	}
}

// includes lists the arguments that add key states to a selection.
var includes = []struct {
	flag  string
	state keys.State
}{{"include_accepted", keys.Accepted}, {"include_rejected", keys.Rejected}, {"include_denied", keys.Denied}}

// keyChange returns a function that changes the matching keys in the given states and in those that
// the call adds.
func keyChange(change func(keys.Editor, keys.Selection) ([]keys.Key, error), states ...keys.State) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		globs, err := c.Patterns("match")
		if err != nil {
			return nil, err
		}
		if globs == nil {
			return nil, functions.Invalid("match is empty")
		}
		also, err := included(c, states)
		if err != nil {
			return nil, err
		}
		from := slices.Sorted(maps.Keys(also))
		//mutant:cve2020-11652-keys-of-the-folder
		return changed(change(c.Env.Keys, c.Env.Keys.Store.Match(strings.Join(globs, ","), from...)))
	}
}
