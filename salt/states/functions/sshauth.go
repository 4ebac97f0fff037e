package functions

import (
	"context"
	"regexp"
	"strings"

	"github.com/momtree/mom/salt/modules"
	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	args := []states.Arg{
		{Name: "name", Required: true},
		{Name: "user", Required: true},
		{Name: "enc", Default: "ssh-rsa"},
		{Name: "comment", Default: ""},
		{Name: "source", Default: ""},
		{Name: "options"},
		{Name: "config", Default: ".ssh/authorized_keys"},
		{Name: "fingerprint_hash_type"},
	}
	const about = `
name
    the key: KEY, KEY COMMENT, or TYPE KEY COMMENT with options before it
user
    the user of the key
enc : ssh-rsa, comment, options
    its type, comment and options
config : .ssh/authorized_keys
    the file, in the home folder or absolute
fingerprint_hash_type : sha256
    type of the fingerprints
source
    a file of keys, salt:// or http, instead of the key in name
`
	Register("ssh_auth",
		Function{Name: "present", Spec: states.Spec{Args: args, VarKw: true}, Run: sshPresent, Doc: `
Ensure that a key is authorized for a user.
` + about + `
    AAAAB3NzaC1kc3MAAACBAL0sQ9fJ5bYTEyY==:
      ssh_auth.present:
        - user: root
        - enc: ssh-ed25519
`},
		Function{Name: "absent", Spec: states.Spec{Args: args}, Run: sshAbsent, Doc: `
Ensure that a key is not authorized for a user.
` + about + `
    AAAAB3NzaC1kc3MAAACBAL0sQ9fJ5bYTEyY==:
      ssh_auth.absent:
        - user: root
`},
	)
}

var fullKey = regexp.MustCompile(`^(.*?)\s?((?:sk-)?(?:ssh-|ecds)[\w-]+\s.+)$`)

// sshKey is a key with its comment and options.
type sshKey struct {
	key, enc, comment string
	options           []any
}

// sshKey parses the name of a state.
func (c *Call) sshKey() sshKey {
	k := sshKey{enc: c.Str("enc"), comment: modules.PyStr(orEmptyText(c.Value("comment"))), options: texted(texts(c.Value("options")))}
	name := strings.TrimSpace(c.Name())
	m := fullKey.FindStringSubmatch(name)
	if m == nil {
		key, comment, ok := strings.Cut(name, " ")
		if k.key = key; ok {
			k.comment = strings.TrimSpace(comment)
		}
		return k
	}
	if m[1] != "" {
		k.options = texted(strings.Split(m[1], ","))
	}
	parts := strings.SplitN(strings.Join(strings.Fields(m[2]), " "), " ", 3)
	k.enc, k.key = parts[0], parts[1]
	if len(parts) == 3 {
		k.comment = parts[2]
	}
	return k
}

// sshCheck returns what would be done: add, update or exists.
func (c *Call) sshCheck(ctx context.Context, k sshKey) (any, error) {
	return c.Module(ctx, "ssh.check_key", []any{c.Str("user"), k.key, k.enc, k.comment, k.options}, c.sshWhere())
}

func (c *Call) sshWhere() *value.Map {
	return value.NewMap("config", c.Value("config"), "fingerprint_hash_type", c.Value("fingerprint_hash_type"))
}

func sshPresent(ctx context.Context, c *Call) (*states.Result, error) {
	r, k, user := outcome(c), c.sshKey(), c.Str("user")
	if c.Str("source") != "" {
		return c.sshPresentFrom(ctx, r)
	}
	if c.Test {
		what, err := c.sshCheck(ctx, k)
		switch what {
		case "update":
			_, _ = says(r, nil, "Key %s for user %s is set to be updated", k.key, user)
		case "add":
			_, _ = says(r, nil, "Key %s for user %s is set to be added", k.key, user)
		default:
			_, _ = says(r, true, "The authorized host key %s is already present for user %s", k.key, user)
		}
		return r, err
	}
	kwargs := c.sshWhere()
	kwargs.Set("enc", k.enc)
	kwargs.Set("comment", k.comment)
	kwargs.Set("options", k.options)
	done, err := c.Module(ctx, "ssh.set_auth_key", []any{user, k.key}, kwargs)
	if err != nil {
		return nil, err
	}
	return c.sshDone(r, k.key, done)
}

// sshDone sets the result for a key, or for those of a file.
func (c *Call) sshDone(r *states.Result, name string, done any) (*states.Result, error) {
	user := c.Str("user")
	switch done {
	case "replace":
		r.Changes.Set(name, "Updated")
		return says(r, true, "The authorized host key %s for user %s was updated", name, user)
	case "no change":
		return says(r, true, "The authorized host key %s is already present for user %s", name, user)
	case "new":
		r.Changes.Set(name, "New")
		return says(r, true, "The authorized host key %s for user %s was added", name, user)
	case "fail":
		return says(r, false, "Failed to add the ssh key. Is the home directory available, and/or does the key file exist?")
	}
	return says(r, false, "Invalid public ssh key, most likely has spaces or invalid syntax")
}

func sshAbsent(ctx context.Context, c *Call) (*states.Result, error) {
	r, k, user := outcome(c), c.sshKey(), c.Str("user")
	if c.Str("source") != "" {
		return c.sshAbsentFrom(ctx, r)
	}
	if c.Test {
		what, err := c.sshCheck(ctx, k)
		if what == "update" || what == "exists" {
			_, _ = says(r, nil, "Key %s for user %s is set for removal", k.key, user)
		} else {
			_, _ = says(r, true, "Key is already absent")
		}
		return r, err
	}
	done, err := c.Module(ctx, "ssh.rm_auth_key", []any{user, k.key}, c.sshWhere())
	if done == "Key removed" {
		r.Changes.Set(k.key, "Removed")
	}
	r.Comment = modules.PyStr(done)
	return r, err
}
