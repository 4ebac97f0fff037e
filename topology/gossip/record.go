package gossip

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Record is what a node reports about itself.
type Record struct {
	ID      string
	Role    string
	Parent  string // its parent, "" at the top or while it has none
	Version string
	Addr    string // host:port of its request port
	// Epoch is the start time of the node in nanoseconds, Seq counts its records. The record with
	// the higher pair is newer.
	Epoch, Seq uint64
	Minions    uint32 // below it, in all tiers
	Up         uint32 // of them connected
	Load       float32
}

func (r Record) newer(than Record) bool {
	return r.Epoch > than.Epoch || r.Epoch == than.Epoch && r.Seq > than.Seq
}

// Started returns the start time of the node.
func (r Record) Started() time.Time { return time.Unix(0, int64(r.Epoch)) }

const (
	recordForm = 1
	maxText    = 255
	maxKey     = 2048 // of a public key and of a signature, in bytes
)

// errForm means that bytes are not a record.
var errForm = errors.New("gossip: not a record")

// bytes returns the signed encoding: fixed fields, then five texts with one-byte lengths.
func (r Record) bytes() ([]byte, error) {
	b := []byte{recordForm}
	b = binary.BigEndian.AppendUint64(b, r.Epoch)
	b = binary.BigEndian.AppendUint64(b, r.Seq)
	b = binary.BigEndian.AppendUint32(b, r.Minions)
	b = binary.BigEndian.AppendUint32(b, r.Up)
	b = binary.BigEndian.AppendUint32(b, uint32(max(r.Load, 0)*100))
	for _, s := range []string{r.ID, r.Role, r.Parent, r.Version, r.Addr} {
		if len(s) > maxText {
			return nil, fmt.Errorf("gossip: %q is longer than %d bytes", s[:20], maxText)
		}
		b = append(append(b, byte(len(s))), s...)
	}
	return b, nil
}

func recordFrom(b []byte) (Record, error) {
	const fixed = 1 + 8 + 8 + 4 + 4 + 4
	if len(b) < fixed || b[0] != recordForm {
		return Record{}, errForm
	}
	r := Record{
		Epoch: binary.BigEndian.Uint64(b[1:]), Seq: binary.BigEndian.Uint64(b[9:]),
		Minions: binary.BigEndian.Uint32(b[17:]), Up: binary.BigEndian.Uint32(b[21:]), Load: float32(binary.BigEndian.Uint32(b[25:])) / 100,
	}
	b = b[fixed:]
	for _, s := range []*string{&r.ID, &r.Role, &r.Parent, &r.Version, &r.Addr} {
		if len(b) == 0 || len(b) < 1+int(b[0]) {
			return Record{}, errForm
		}
		*s = string(b[1 : 1+int(b[0])])
		b = b[1+int(b[0]):]
	}
	if len(b) > 0 || r.ID == "" {
		return Record{}, errForm
	}
	return r, nil
}

// signed is a record with its key and signature.
type signed struct {
	Record
	raw, key, sig []byte
}

// Fingerprint returns the SHA-256 of a public key's PKIX form in hex.
func Fingerprint(pub *rsa.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		return "", fmt.Errorf("gossip: fingerprint of a key: %w", err)
	}
	return fingerprint(der), nil
}

func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// domain separates these signatures from others made with the key.
const domain = "mom gossip record\x00"

func digest(raw []byte) []byte {
	sum := sha256.Sum256(append([]byte(domain), raw...))
	return sum[:]
}

func sign(r Record, key *rsa.PrivateKey) (signed, error) {
	raw, err := r.bytes()
	if err != nil {
		return signed{}, err
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return signed{}, fmt.Errorf("gossip: public key: %w", err)
	}
	sig, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest(raw))
	if err != nil {
		return signed{}, fmt.Errorf("gossip: sign the record: %w", err)
	}
	return signed{r, raw, der, sig}, nil
}

// verify checks the signature with the enclosed key. It does not check whether that key is the
// node's.
func (s signed) verify() error {
	k, err := x509.ParsePKIXPublicKey(s.key)
	if err != nil {
		return fmt.Errorf("gossip: key of %s: %w", s.ID, err)
	}
	pub, ok := k.(*rsa.PublicKey)
	if !ok {
		return fmt.Errorf("gossip: key of %s: not an RSA key", s.ID)
	}
	if err := rsa.VerifyPKCS1v15(pub, crypto.SHA256, digest(s.raw), s.sig); err != nil {
		return fmt.Errorf("gossip: record of %s: %w", s.ID, err)
	}
	return nil
}

// append appends the three parts with their lengths.
func (s signed) append(b []byte) []byte {
	for _, part := range [][]byte{s.raw, s.key, s.sig} {
		b = binary.BigEndian.AppendUint16(b, uint16(len(part)))
		b = append(b, part...)
	}
	return b
}

// next reads one signed record from b without checking its signature.
func next(b []byte) (s signed, rest []byte, err error) {
	for _, part := range []*[]byte{&s.raw, &s.key, &s.sig} {
		if len(b) < 2 {
			return s, nil, errForm
		}
		n := int(binary.BigEndian.Uint16(b))
		if b = b[2:]; n > len(b) || n > maxKey {
			return s, nil, errForm
		}
		*part, b = bytes.Clone(b[:n]), b[n:]
	}
	s.Record, err = recordFrom(s.raw)
	return s, b, err
}
