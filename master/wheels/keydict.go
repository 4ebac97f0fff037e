package wheels

import (
	"context"

	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/value"
)

const keyDict = `
match
    A mapping of directories (minions, minions_pre, minions_rejected, minions_denied) to lists
    of ids, as key.list_all returns it.
`

func init() {
	Register(
		Function{Name: "key.list", Args: []string{"match"}, Run: keyList, Doc: `
The ids of the keys in one directory, or in all.

match
    accepted (acc), unaccepted (pre, un), rejected (rej), denied (den) or all.

    wheel.cmd('key.list', ['accepted'])
`},
		Function{Name: "key.accept_dict", Args: []string{"match", "include_rejected=", "include_denied="}, Run: keyChangeDict(keys.Editor.Accept, keys.Pending), Doc: `
Accepts the named keys.
` + keyDict + `
include_rejected, include_denied : False
    Also keys in these directories; otherwise match must not have them.

    wheel.cmd('key.accept_dict', [{'minions_pre': ['web1']}])
`},
		Function{Name: "key.reject_dict", Args: []string{"match", "include_accepted=", "include_denied="}, Run: keyChangeDict(keys.Editor.Reject, keys.Pending), Doc: `
Rejects the named keys.
` + keyDict + `
include_accepted, include_denied : False
    Also keys in these directories; otherwise match must not have them.

    wheel.cmd('key.reject_dict', [{'minions_pre': ['web1']}])
`},
		Function{Name: "key.delete_dict", Args: []string{"match"}, Run: keyChangeDict(keys.Editor.Delete, keys.Listed...), Doc: `
Deletes the named keys.
` + keyDict + `
    wheel.cmd('key.delete_dict', [{'minions': ['web1']}])
`},
	)
}

func keyList(ctx context.Context, c *Call) (any, error) {
	word := c.Text("match")
	if word == "all" {
		return keyListAll(ctx, c)
	}
	st, err := keys.ParseState(word)
	if err != nil {
		return nil, functions.Invalid("%w, or all", err)
	}
	return value.NewMap(st.Folder(), c.Env.Keys.Store.List(st)), nil
}

// readDict reads the argument match: key ids by directory.
func readDict(c *Call) (keys.Selection, error) {
	v, _ := c.Given("match")
	m, ok := v.(*value.Map)
	if !ok {
		return nil, functions.Invalid("match=%v is not a mapping of directories to lists of ids", v)
	}
	sel := keys.Selection{}
	var fault error
	m.Range(func(k, v any) bool {
		st, err := folderOf(k)
		list, ok := v.([]any)
		if err == nil && !ok {
			err = functions.Invalid("%v has no list of ids, but %v", k, v)
		}
		for _, e := range list {
			id, ok := e.(string)
			if !ok {
				err = functions.Invalid("%v of %v is not an id", e, k)
				break
			}
			sel[st] = append(sel[st], id)
		}
		fault = err
		return err == nil
	})
	return sel, fault
}

// folderOf parses the name of a key directory.
func folderOf(name any) (keys.State, error) {
	for _, st := range keys.Listed {
		if name == st.Folder() {
			return st, nil
		}
	}
	return 0, functions.Invalid("%v is not one of the directories minions, minions_pre, minions_rejected and minions_denied", name)
}

// keyChangeDict returns a function that changes named keys in the given states and in those that
// the call adds.
func keyChangeDict(change func(keys.Editor, keys.Selection) ([]keys.Key, error), states ...keys.State) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		sel, err := readDict(c)
		if err != nil {
			return nil, err
		}
		from, err := included(c, states)
		if err != nil {
			return nil, err
		}
		for st := range sel {
			if !from[st] {
				return nil, functions.Invalid("%[2]s does not change keys of %[1]s; see its include_ arguments", st.Folder(), c.Fun())
			}
		}
		return changed(change(c.Env.Keys, sel))
	}
}

// included returns states plus those that the call adds.
func included(c *Call, states []keys.State) (map[keys.State]bool, error) {
	from := map[keys.State]bool{}
	for _, st := range states {
		from[st] = true
	}
	for _, s := range includes {
		also, err := c.Flag(s.flag, false)
		if err != nil {
			return nil, err
		}
		if also {
			from[s.state] = true
		}
	}
	return from, nil
}
