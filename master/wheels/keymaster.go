package wheels

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/master/functions"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/value"
)

// masterPub is the file of the public key that identifies this master to minions.
const masterPub = "master.pub"

func init() {
	Register(
		Function{Name: "key.finger_master", Args: []string{"hash_type="}, Run: keyMaster(func(c *Call) ([]keys.Shown, error) {
			return c.Env.Keys.Store.Finger(keys.Selection{keys.Local: {masterPub}}, c.Text("hash_type"))
		}), Doc: `
The fingerprint of the public key of this master.

hash_type
    The hash. Default: the option of that name.

    wheel.cmd('key.finger_master')
`},
		Function{Name: "key.master_key_str", Run: keyMaster(func(c *Call) ([]keys.Shown, error) {
			return c.Env.Keys.Store.Print(keys.Selection{keys.Local: {masterPub}})
		}), Doc: `
The text of the public key of this master.

    wheel.cmd('key.master_key_str')
`},
		Function{Name: "key.gen_signature", Args: []string{"priv=", "pub=", "signature_path=", "auto_create=", "keysize="}, Run: keySignature, Doc: `
Signs the public key of this master with the signing key in pki_dir, and stores the
signature in the file master_pubkey_signature there (option master_use_pubkey_signature).
It is an error if the file exists.

priv, pub, signature_path
    Must be empty: callers may not name files of this machine. On the machine itself use
    salt-key --gen-signature.
auto_create : False
    Create the signing key if it does not exist.
keysize : 2048
    Its length, in bits.

    wheel.cmd('key.gen_signature', kwarg={'auto_create': True})
`},
	)
}

// keyMaster returns a function that shows the public key of this master.
func keyMaster(show func(c *Call) ([]keys.Shown, error)) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		shown, err := show(c)
		if err != nil {
			return nil, err
		}
		if len(shown) == 0 {
			return nil, fmt.Errorf("%s: there is no %s", c.Fun(), masterPub)
		}
		return value.NewMap(keys.Local.Folder(), value.NewMap(masterPub, shown[0].Text)), nil
	}
}

func keySignature(_ context.Context, c *Call) (any, error) {
	for _, name := range []string{"priv", "pub", "signature_path"} {
		//mutant:runners-signature-paths
		if path := c.Text(name); path != "" {
			return nil, functions.Invalid("%s=%s: callers may not name files of this machine; use salt-key --gen-signature there", name, path)
		}
	}
	create, err := c.Flag("auto_create", false)
	if err != nil {
		return nil, err
	}
	bits, err := keysize(c)
	if err != nil {
		return nil, err
	}
	conf := c.Env.Config
	if conf == nil {
		return nil, errors.New("key.gen_signature: this master has no configuration to read")
	}
	text, err := os.ReadFile(filepath.Join(conf.PkiDir, masterPub))
	if err != nil {
		return nil, fmt.Errorf("the public key to sign: %w", err)
	}
	name := conf.MasterSignKeyName
	if _, err := os.Stat(filepath.Join(conf.PkiDir, name+".pem")); errors.Is(err, fs.ErrNotExist) && !create {
		return nil, fmt.Errorf("%s.pem is not in %s; auto_create=True creates it", name, conf.PkiDir)
	}
	pair, err := crypt.EnsureKeyPairPass(conf.PkiDir, name, bits, conf.SigningKeyPass)
	if err != nil {
		return nil, fmt.Errorf("the signing key: %w", err)
	}
	path := filepath.Join(conf.PkiDir, conf.MasterPubkeySignature)
	made, err := keys.WriteSignature(path, pair, crypt.CleanPEM(string(text)))
	if err == nil && !made {
		err = fmt.Errorf("%s exists and is unchanged; remove it to create a new one", path)
	}
	if err != nil {
		return nil, err
	}
	return true, nil
}
