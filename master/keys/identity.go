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

// IdentityOptions configure the master's own keys, under Salt's names.
type IdentityOptions struct {
	PkiDir  string
	Keysize int    // bits of a key made here, default 2048
	KeyPass string // passphrase of master.pem

	// MasterSignPubkey adds to replies a signature of the master's public key, made with the
	// pair MasterSignKeyName (default master_sign) and the passphrase SigningKeyPass.
	MasterSignPubkey  bool
	MasterSignKeyName string
	SigningKeyPass    string
	// MasterUsePubkeySignature reads that signature from the file MasterPubkeySignature
	// (default master_pubkey_signature), so that the signing key need not be on this machine.
	MasterUsePubkeySignature bool
	MasterPubkeySignature    string
}

// Identity is the master's key pair and the proof of it that minions get. It is safe for concurrent
// use.
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

// NewIdentity returns an identity without a signed public key.
func NewIdentity(pair *crypt.KeyPair) *Identity {
	// Minions of 3006.12 and newer compare the text with their cleaned pinned file: a final
	// newline would look like another key.
	return &Identity{Pair: pair, pubText: crypt.CleanPEM(pair.PublicPEM), pubSigs: map[string][]byte{}}
}

// OpenIdentity loads the master's keys, and generates missing pairs.
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

// fitText finds the form of the public key's text that the signature file signs: some Salt versions
// signed it unchanged, some with cleaned line ends. Without the signing public key it assumes the
// first.
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
	return fmt.Errorf("%s is not a signature of master.pub by %s; make it again with salt-key --gen-signature", path, pubPath)
}

// PubSig returns the field `pub_sig`, base64 and a newline, or nil if the master does not sign its
// public key.
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
