package saltkey

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/value"
)

// genKeys makes a key pair. It fails if the files exist: the caller must not mistake an old key for a
// new one.
func (k *run) genKeys(name string) error {
	if name != filepath.Base(name) || name == "." || name == ".." {
		return command.Exit(command.ExitFailure, fmt.Errorf("--gen-keys: %q is not a name; set the directory with --gen-keys-dir", name))
	}
	for _, ext := range []string{".pem", ".pub"} {
		path := filepath.Join(k.genDir, name+ext)
		if _, err := os.Lstat(path); err == nil {
			return command.Exit(command.ExitFailure, fmt.Errorf("--gen-keys: %s exists and was not changed; remove it or choose another name", path))
		}
	}
	pair, err := crypt.EnsureKeyPair(k.genDir, name, k.keysize)
	if err != nil {
		return fmt.Errorf("--gen-keys: %w", err)
	}
	finger, err := crypt.Fingerprint([]byte(pair.PublicPEM), k.conf.HashType)
	if err != nil {
		return fmt.Errorf("--gen-keys: %w", err)
	}
	return k.show(value.NewMap("return", finger))
}

// genSignature signs the master's public key with the signing key.
func (k *run) genSignature() error {
	err := k.sign()
	if err != nil {
		return errors.Join(k.show(value.NewMap("return", false)), command.Exit(command.ExitFailure, fmt.Errorf("--gen-signature: %w", err)))
	}
	return k.show(value.NewMap("return", true))
}

func (k *run) sign() error {
	pub := cmp.Or(k.pub, filepath.Join(k.conf.PkiDir, "master.pub"))
	text, err := os.ReadFile(pub)
	if err != nil {
		return fmt.Errorf("the public key to sign: %w", err)
	}
	if _, err := crypt.ParsePublicPEM(string(text)); err != nil {
		return fmt.Errorf("the public key to sign, %s: %w", pub, err)
	}
	pair, err := k.signingKey()
	if err != nil {
		return err
	}
	path := filepath.Join(cmp.Or(k.signature, k.conf.PkiDir), k.conf.MasterPubkeySignature)
	// The signature covers the text without surrounding white space, as peers send it.
	made, err := keys.WriteSignature(path, pair, crypt.CleanPEM(string(text)))
	if err != nil {
		return err
	}
	if !made {
		return fmt.Errorf("%s exists and was not changed; remove it to create a new one", path)
	}
	return nil
}

func (k *run) signingKey() (*crypt.KeyPair, error) {
	pass := k.conf.SigningKeyPass
	if k.priv != "" {
		priv, err := crypt.LoadPrivate(k.priv, pass)
		if err != nil {
			return nil, err
		}
		return &crypt.KeyPair{Private: priv, PublicPEM: crypt.PublicPEM(&priv.PublicKey)}, nil
	}
	name := k.conf.MasterSignKeyName
	if _, err := os.Stat(filepath.Join(k.conf.PkiDir, name+".pem")); errors.Is(err, fs.ErrNotExist) && !k.autoCreate {
		return nil, fmt.Errorf("No usable private-key found: %s.pem is not in %s; --auto-create makes it", name, k.conf.PkiDir)
	}
	return crypt.EnsureKeyPairPass(k.conf.PkiDir, name, k.keysize, pass)
}
