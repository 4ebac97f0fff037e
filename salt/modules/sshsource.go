package modules

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/fileclient"
	"github.com/momtree/mom/value"
)

func init() {
	source := []Arg{{Name: "user", Required: true}, {Name: "source", Required: true}, {Name: "config", Default: ".ssh/authorized_keys"}, {Name: "saltenv", Default: "base"}, {Name: "fingerprint_hash_type"}}
	const about = `
source is salt:// or http, saltenv its environment. config is the file, in the
home folder of the user or absolute, with %h and %u for home and name.
fingerprint_hash_type is the type of fingerprints, sha256 by default.
`
	Register("ssh",
		Function{Name: "set_auth_key_from_file", Args: append(slices.Clone(source), Arg{Name: "options"}), Run: sshSetKeysFrom, Doc: `
Authorize the keys of a file for a user. Returns replace, new, no change or
fail. options replace those of every key.
` + about + `
CLI Example:

    salt '*' ssh.set_auth_key_from_file root salt://ssh_keys/root.id_rsa.pub
`},
		Function{Name: "rm_auth_key_from_file", Args: source, Run: sshRemoveKeysFrom, Doc: `
Remove the authorization of the keys of a file for a user. Returns "Key
removed", "Key not present", "Key not removed", or fail for a file without keys.
` + about + `
CLI Example:

    salt '*' ssh.rm_auth_key_from_file root salt://ssh_keys/root.id_rsa.pub
`},
		Function{Name: "check_key_file", Args: source, Run: sshCheckKeysOf, Doc: `
Return what ssh.set_auth_key_from_file would do with each key of a file: add, update or exists.
` + about + `
CLI Example:

    salt '*' ssh.check_key_file root salt://ssh_keys/root.id_rsa.pub
`},
	)
}

// errNoKeyFile means that the file source is not available.
var errNoKeyFile = CommandErrorf("Failed to pull key file from salt file server")

// sourceKeys returns the keys of the file source, each once.
func (c *Call) sourceKeys(ctx context.Context) ([]authLine, error) {
	path, err := c.Env.Files().Cache(ctx, c.Str("source"), fileclient.Want{Saltenv: c.Str("saltenv")})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, errNoKeyFile
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, CommandErrorf("Problem reading ssh key file %s: %v", path, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKeys+1))
	if err = errors.Join(err, errTooMany(len(data))); err != nil {
		return nil, CommandErrorf("Problem reading ssh key file %s: %v", path, err)
	}
	lines, err := parseKeys(data, c.Str("fingerprint_hash_type"))
	if err != nil {
		return nil, err
	}
	var keys []authLine
	for _, l := range lines {
		if !l.isKey {
			continue
		}
		if at := findKey(keys, l.key); at >= 0 {
			keys[at] = l // the last one counts
			continue
		}
		keys = append(keys, l)
	}
	return keys, nil
}

// eachKey calls a function of this module for each key of the file source.
func (c *Call) eachKey(ctx context.Context, fun string, named func(authLine) *value.Map) (map[string]string, []authLine, error) {
	keys, err := c.sourceKeys(ctx)
	if err != nil {
		return nil, nil, err
	}
	done := map[string]string{}
	for _, k := range keys {
		kwargs := value.NewMap("config", c.Value("config"), "fingerprint_hash_type", c.Value("fingerprint_hash_type"))
		if named != nil {
			named(k).Range(func(name, v any) bool {
				kwargs.Set(name, v)
				return true
			})
		}
		v, err := c.sub(ctx, fun, []any{c.Value("user"), k.key}, kwargs)
		if err != nil {
			return nil, nil, err
		}
		done[k.key] = PyStr(v)
	}
	return done, keys, nil
}

// whole returns all fields of a key, with the options of the call if given.
func (c *Call) whole(k authLine) *value.Map {
	options := any(wire.AnyList(k.options))
	if v := c.Value("options"); given(v) {
		options = v
	}
	return value.NewMap("enc", k.enc, "comment", k.comment, "options", options)
}

// worst returns the first of outcomes that some key has, else the last of outcomes.
func worst(done map[string]string, outcomes ...string) string {
	for _, o := range outcomes {
		for _, is := range done {
			if is == o {
				return o
			}
		}
	}
	return outcomes[len(outcomes)-1]
}

func sshSetKeysFrom(ctx context.Context, c *Call) (any, error) {
	done, keys, err := c.eachKey(ctx, "ssh.set_auth_key", c.whole)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		logger(c.Env).Error("no keys in file", "source", fileclient.Redact(c.Str("source")))
		return "fail", nil
	}
	return worst(done, "fail", "replace", "new", "no change"), nil
}

func sshRemoveKeysFrom(ctx context.Context, c *Call) (any, error) {
	done, keys, err := c.eachKey(ctx, "ssh.rm_auth_key", nil)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		logger(c.Env).Error("no keys in file", "source", fileclient.Redact(c.Str("source")))
		return "fail", nil
	}
	return worst(done, "Key not removed", "Key removed", "Key not present"), nil
}

func sshCheckKeysOf(ctx context.Context, c *Call) (any, error) {
	done, keys, err := c.eachKey(ctx, "ssh.check_key", c.whole)
	if errors.Is(err, errNoKeyFile) {
		return value.NewMap(), nil
	}
	if err != nil {
		return nil, err
	}
	out := value.NewMap()
	for _, k := range keys {
		out.Set(k.key, done[k.key])
	}
	return out, nil
}
