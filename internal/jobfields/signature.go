package jobfields

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// SignatureField is the field of a publication with the order.
const SignatureField = "mom_order"

// Skew is the allowed difference between the clocks of top and minion.
const Skew = 5 * time.Minute

// Reasons why a job is refused.
var (
	ErrUnsigned   = errors.New("it is not signed by the top")
	ErrUnknownKey = errors.New("it is signed with a key that is not the top's")
	ErrAltered    = errors.New("it is not what the top has signed")
	ErrExpired    = errors.New("its signature has expired")
	ErrFuture     = errors.New("its signature is of the future")
)

// KeyID identifies a public key: the first 16 bytes of the SHA-256 of its PEM text as
// [crypt.PublicPEM] writes it, in hex.
func KeyID(key *rsa.PublicKey) string {
	sum := sha256.Sum256([]byte(crypt.PublicPEM(key)))
	return hex.EncodeToString(sum[:16])
}

// Sign returns the value of [SignatureField] for a publication. It is valid from issued to
// expires, to the second.
func Sign(key *rsa.PrivateKey, p wire.Publication, issued, expires time.Time) (*wire.Map, error) {
	b, err := canonical(p, issued.Unix(), expires.Unix())
	if err != nil {
		return nil, fmt.Errorf("sign job %s: %w", p.JID, err)
	}
	sum := sha256.Sum256(b)
	sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return nil, fmt.Errorf("sign job %s: %w", p.JID, err)
	}
	return wire.NewMap("key", KeyID(&key.PublicKey), "issued", issued.Unix(), "expires", expires.Unix(),
		"sig", base64.StdEncoding.EncodeToString(sig)), nil
}

// Verifier checks orders against the keys of the tops. It is safe for concurrent
// use once all keys are added.
type Verifier struct{ keys map[string]*rsa.PublicKey }

// NewVerifier returns a Verifier with the public keys of all tops.
func NewVerifier(keys ...*rsa.PublicKey) *Verifier {
	v := &Verifier{keys: map[string]*rsa.PublicKey{}}
	for _, k := range keys {
		v.Add(k)
	}
	return v
}

// Add adds the public key of a top.
func (v *Verifier) Add(key *rsa.PublicKey) { v.keys[KeyID(key)] = key }

// Verify returns the start and end of an order's validity, or one of the errors above.
func (v *Verifier) Verify(p wire.Publication, now time.Time) (issued, expires time.Time, err error) {
	fail := func(err error) (time.Time, time.Time, error) { return time.Time{}, time.Time{}, err }
	if p.Extra == nil {
		return fail(ErrUnsigned)
	}
	raw, _ := p.Extra.Get(SignatureField)
	b, _ := raw.(wire.Raw)
	if len(b) == 0 {
		return fail(ErrUnsigned)
	}
	d, err := wire.DecodeMap(b)
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrUnsigned, err))
	}
	key := v.keys[d.String("key")]
	if key == nil {
		return fail(ErrUnknownKey)
	}
	sig, err := base64.StdEncoding.DecodeString(d.String("sig"))
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrAltered, err))
	}
	text, err := canonical(p, d.Int("issued"), d.Int("expires"))
	if err != nil {
		return fail(fmt.Errorf("%w: %w", ErrAltered, err))
	}
	sum := sha256.Sum256(text)
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], sig); err != nil {
		return fail(ErrAltered)
	}
	issued, expires = time.Unix(d.Int("issued"), 0), time.Unix(d.Int("expires"), 0)
	switch {
	case now.After(expires.Add(Skew)):
		return fail(fmt.Errorf("%w at %s", ErrExpired, expires.UTC().Format(time.RFC3339)))
	case now.Before(issued.Add(-Skew)):
		return fail(fmt.Errorf("%w: %s", ErrFuture, issued.UTC().Format(time.RFC3339)))
	}
	return issued, expires, nil
}
