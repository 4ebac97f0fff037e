package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/armor"
)

// maxSecret is the largest decrypted message, in bytes.
const maxSecret = 16 << 20

// Keyring decrypts with the private keys of a folder. It is safe for concurrent use.
type Keyring struct{ keys openpgp.EntityList }

// gpgOwn are files that gpg keeps in its own folder, which gpg_keydir often names: its
// trust database and public keys.
var gpgOwn = []string{"trustdb.gpg", "pubring.gpg"}

// OpenKeyring reads the private keys in a folder (Salt's gpg_keydir): every *.asc, *.gpg,
// *.key or *.pgp file with an armored or binary OpenPGP key, as gpg --export-secret-keys
// writes it. Keys with a passphrase are an error, as are folders that other users may read.
// It does not read gpg's own key store (private-keys-v1.d); export the key once.
func OpenKeyring(dir string) (*Keyring, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	//mutant:render-keyring
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s holds private keys, but other users may enter it (mode %04o); run chmod 0700", dir, info.Mode().Perm())
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	k := &Keyring{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains([]string{".asc", ".gpg", ".key", ".pgp"}, filepath.Ext(e.Name())) || slices.Contains(gpgOwn, e.Name()) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		keys, err := readKeys(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, key := range keys {
			if key.PrivateKey == nil {
				continue
			}
			if key.PrivateKey.Encrypted {
				return nil, fmt.Errorf("%s: the key has a passphrase; remove it, since a daemon cannot enter one", name)
			}
			k.keys = append(k.keys, key)
		}
	}
	if len(k.keys) == 0 {
		return nil, fmt.Errorf("%s has no private key; write one with gpg --export-secret-keys --armor > %s", dir, filepath.Join(dir, "salt.asc"))
	}
	return k, nil
}

func readKeys(data []byte) (openpgp.EntityList, error) {
	if bytes.Contains(data, []byte("-----BEGIN PGP")) {
		return openpgp.ReadArmoredKeyRing(bytes.NewReader(data))
	}
	return openpgp.ReadKeyRing(bytes.NewReader(data))
}

// Decrypt returns the text of an armored message.
func (k *Keyring) Decrypt(ctx context.Context, armored []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// A YAML block may have indented the lines.
	lines := strings.Split(string(armored), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	block, err := armor.Decode(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		return nil, fmt.Errorf("read the armor: %w", err)
	}
	msg, err := openpgp.ReadMessage(block.Body, k.keys, nil, nil)
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(io.LimitReader(msg.UnverifiedBody, maxSecret+1))
	if err != nil {
		return nil, err
	}
	if len(plain) > maxSecret {
		return nil, fmt.Errorf("the message has more than %d bytes", maxSecret)
	}
	if len(plain) == 0 {
		return nil, errors.New("the message is empty")
	}
	return plain, nil
}
