package keys

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/momtree/mom/internal/crypt"
)

// IdentityOptions say where the master's own keys are and how they are proved,
// under Salt's names.
type IdentityOptions struct {
	PkiDir  string
	Keysize int    // bits of a key made here, default 2048
	KeyPass string // passphrase of master.pem

	// MasterSignPubkey adds a signature of the master's public key to replies,
	// made with the pair MasterSignKeyName (default master_sign), whose
	// passphrase is SigningKeyPass.
	MasterSignPubkey  bool
	MasterSignKeyName string
	SigningKeyPass    string
	// MasterUsePubkeySignature takes that signature from the file
	// MasterPubkeySignature (default master_pubkey_signature) instead, so that
	// the signing key need not be on this machine.
	MasterUsePubkeySignature bool
	MasterPubkeySignature    string
}

// Identity is the master as minions know it: its key pair, and what it proves
// the pair with. It is safe for concurrent use.
type Identity struct {
	Pair *crypt.KeyPair

	pubText string         // of master.pub, as it is sent and signed
	sign    *crypt.KeyPair // nil without master_sign_pubkey, or with a file
	file    []byte         // content of the signature file

	mu      sync.Mutex
	pubSigs map[string][]byte // by signing algorithm
	aesKey  string            // the key aesSig belongs to
	aesSig  []byte
}

// NewIdentity is an identity without a signed public key.
func NewIdentity(pair *crypt.KeyPair) *Identity {
	// Cleaned, since minions of 3006.12 and newer compare what they get, as it is,
	// with their pinned file cleaned: a final newline would be a changed key.
	return &Identity{Pair: pair, pubText: crypt.CleanPEM(pair.PublicPEM), pubSigs: map[string][]byte{}}
}

// OpenIdentity loads the master's keys, and makes the pairs that are missing.
func OpenIdentity(o IdentityOptions) (*Identity, error) {
	pair, err := crypt.EnsureKeyPairPass(o.PkiDir, "master", o.Keysize, o.KeyPass)
	if err != nil {
		return nil, fmt.Errorf("open master key: %w", err)
	}
	i := NewIdentity(pair)
	if !o.MasterSignPubkey {
		return i, nil
	}
	if o.MasterSignKeyName == "" {
		o.MasterSignKeyName = "master_sign"
	}
	if !o.MasterUsePubkeySignature {
		i.sign, err = crypt.EnsureKeyPairPass(o.PkiDir, o.MasterSignKeyName, o.Keysize, o.SigningKeyPass)
		if err != nil {
			return nil, fmt.Errorf("open signing key: %w", err)
		}
		return i, nil
	}
	if o.MasterPubkeySignature == "" {
		o.MasterPubkeySignature = "master_pubkey_signature"
	}
	path := filepath.Join(o.PkiDir, o.MasterPubkeySignature)
	if i.file, err = os.ReadFile(path); err != nil {
		return nil, fmt.Errorf("open signature of the master's public key: %w "+
			"(make it with salt-key --gen-signature, or unset master_use_pubkey_signature)", err)
	}
	i.pubText = pair.PublicPEM
	if err := i.fitText(path, filepath.Join(o.PkiDir, o.MasterSignKeyName+".pub")); err != nil {
		return nil, err
	}
	return i, nil
}

// fitText finds out which form of the public key's text the signature file was
// made over: some Salts signed it as it stands, some with its line ends cleaned.
// Without the signing public key at hand the first is taken.
func (i *Identity) fitText(path, pubPath string) error {
	pub, err := crypt.LoadPublic(pubPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open signing public key: %w", err)
	}
	sig, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(i.file)), ""))
	if err != nil {
		return fmt.Errorf("read %s: not base64: %w", path, err)
	}
	for _, text := range []string{i.Pair.PublicPEM, crypt.CleanPEM(i.Pair.PublicPEM)} {
		for _, alg := range []string{crypt.PKCS1SHA1, crypt.PKCS1SHA224} {
			if crypt.Verify(alg, pub, []byte(text), sig) == nil {
				i.pubText = text
				return nil
			}
		}
	}
	return fmt.Errorf("%s is no signature of master.pub by %s: make it again with salt-key --gen-signature", path, pubPath)
}

// PubSig is the field `pub_sig`: base64 and a newline. Nil when the master does
// not sign its public key.
func (i *Identity) PubSig(alg string) ([]byte, error) {
	if i.file != nil {
		return i.file, nil
	}
	if i.sign == nil {
		return nil, nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if sig := i.pubSigs[alg]; sig != nil {
		return sig, nil
	}
	sig, err := SignText(alg, i.sign, i.pubText)
	if err != nil {
		return nil, fmt.Errorf("sign the master's public key: %w", err)
	}
	i.pubSigs[alg] = sig
	return sig, nil
}
