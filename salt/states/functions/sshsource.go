package functions

import (
	"context"

	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

// sshFile checks the keys of a source: what would be done with each. why is the fault of
// the file, if any.
func (c *Call) sshFile(ctx context.Context) (keys *value.Map, why string, err error) {
	source := c.Str("source")
	there, err := c.there(ctx, source)
	if err != nil {
		return nil, "", err
	}
	if !there {
		return nil, "Failed to add the ssh key. Source file " + fileclient.Redact(source) + " is missing", nil
	}
	args, kwargs := c.sshSource()
	keys, err = c.mapOfKw(ctx, "ssh.check_key_file", kwargs, args...)
	if err == nil && keys.Len() == 0 {
		why = "No keys detected in " + fileclient.Redact(source) + ". Is file properly formatted?"
	}
	return keys, why, err
}

// sshSource returns the arguments of a function for a file of keys.
func (c *Call) sshSource() ([]any, *value.Map) {
	kwargs := c.sshWhere()
	kwargs.Set("saltenv", c.Saltenv)
	return []any{c.Str("user"), c.Str("source")}, kwargs
}

// sshPresentFrom authorizes the keys of a file.
func (c *Call) sshPresentFrom(ctx context.Context, r *states.Result) (*states.Result, error) {
	keys, why, err := c.sshFile(ctx)
	if why != "" || err != nil {
		return workOr(r, why, err)
	}
	if c.Test {
		text := ""
		keys.Range(func(key, is any) bool {
			if is != "exists" {
				text += "Set to " + pystr(is) + ": " + pystr(key) + "\n"
			}
			return true
		})
		if text == "" {
			return says(r, true, "All host keys in file %s are already present", fileclient.Redact(c.Str("source")))
		}
		return says(r, nil, "%s", text)
	}
	args, kwargs := c.sshSource()
	if options := texted(texts(c.Value("options"))); len(options) > 0 {
		kwargs.Set("options", options)
	}
	done, err := c.Module(ctx, "ssh.set_auth_key_from_file", args, kwargs)
	if err != nil {
		return workOr(r, "", err)
	}
	return c.sshDone(r, c.Name(), done)
}

// sshAbsentFrom removes the authorization of the keys of a file.
func (c *Call) sshAbsentFrom(ctx context.Context, r *states.Result) (*states.Result, error) {
	keys, why, err := c.sshFile(ctx)
	if why != "" || err != nil {
		return workOr(r, why, err)
	}
	if c.Test {
		text := ""
		keys.Range(func(key, is any) bool {
			if is != "add" {
				text += "Set to remove: " + pystr(key) + "\n"
			}
			return true
		})
		if text == "" {
			return says(r, true, "All host keys in file %s are already absent", fileclient.Redact(c.Str("source")))
		}
		return says(r, nil, "%s", text)
	}
	args, kwargs := c.sshSource()
	done, err := c.Module(ctx, "ssh.rm_auth_key_from_file", args, kwargs)
	if done == "Key removed" {
		r.Changes.Set(c.Name(), "Removed")
	}
	r.Comment = modules.PyStr(done)
	return r, err
}

// workOr sets a failed result: for a reason, or for an error of the work.
func workOr(r *states.Result, why string, err error) (*states.Result, error) {
	if err == nil {
		return says(r, false, "%s", why)
	}
	if text, failed := work(err); failed {
		return says(r, false, "%s", text)
	}
	return nil, err
}
