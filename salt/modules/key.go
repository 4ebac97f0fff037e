package modules

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
)

func init() {
	hash := Arg{Name: "hash_type"}
	Register("key",
		Function{
			Name: "finger", Args: []Arg{hash}, Run: keyFinger("minion.pub"),
			Doc: `
Return the fingerprint of the minion's public key, or an empty text if it has none
yet. hash_type is the hash to use instead of the option hash_type. Compare it with
salt-key -f at the master before you accept the key.

CLI Example:

    salt-call --local key.finger
    salt '*' key.finger
`,
		},
		Function{
			Name: "finger_master", Args: []Arg{hash}, Run: keyFinger("minion_master.pub"),
			Doc: `
Return the fingerprint of the master's public key that the minion has, or "" if
it has none. hash_type is the hash to use instead of the option hash_type.

CLI Example:

    salt '*' key.finger_master
`,
		},
	)
}

// keyFinger returns a function that returns the fingerprint of a public key in pki_dir.
func keyFinger(file string) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		hash := PyStr(c.Args[0])
		if c.Args[0] == nil {
			hash = PyStr(c.Env.Option("hash_type"))
		}
		path := filepath.Join(PyStr(c.Env.Option("pki_dir")), file)
		pem, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return nil, &CommandError{Msg: fmt.Sprintf("read the key %s: %v", path, err)}
		}
		finger, err := crypt.Fingerprint(pem, hash)
		if err != nil {
			return nil, &CommandError{Msg: fmt.Sprintf("fingerprint of %s: %v", path, err)}
		}
		return finger, nil
	}
}
