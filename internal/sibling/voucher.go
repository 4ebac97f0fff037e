package sibling

import (
	"crypto/rsa"
	"crypto/subtle"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// VoucherLife is the maximum validity of a voucher; connected peers renew it every hour.
const VoucherLife = 8 * time.Hour

// ClockSlack is the allowed difference between the clocks of siblings.
const ClockSlack = 10 * time.Minute

// Voucher is a node's statement that it accepted a key for an id. It names two keys: that one,
// and the one that signs the voucher.
type Voucher struct {
	ID     string
	Issuer string // id of the node
	Finger string // [Finger] of the public key
	// Role is the role of the key at the issuer, "minion" or "syndic"; siblings accept it for
	// no other role. "" counts as minion.
	Role        string
	Made, Until time.Time
	// To is the node where the peer may stay for good; "" for an ordinary voucher.
	To string
}

func (v Voucher) kind() string {
	if v.To != "" {
		return "transfer"
	}
	return "voucher"
}

// Finger returns the SHA-256 of a public key itself, however its PEM text is laid out. It
// returns "" if pub is not a key.
func Finger(pub string) string {
	key, err := crypt.ParsePublicPEM(pub)
	if err != nil {
		return ""
	}
	return FingerOf(key)
}

// FingerOf returns the [Finger] of a parsed key.
func FingerOf(key *rsa.PublicKey) string {
	return crypt.Finger(key)
}

// Sign encodes the voucher and signs it with the issuer's key.
func (v Voucher) Sign(priv *rsa.PrivateKey) ([]byte, error) {
	body, err := wire.Encode(wire.NewMap("kind", v.kind(), "id", v.ID, "issuer", v.Issuer, "finger", v.Finger, "by", FingerOf(&priv.PublicKey),
		"role", v.Role, "made", v.Made.UnixNano(), "until", v.Until.Unix(), "to", v.To))
	if err != nil {
		return nil, fmt.Errorf("encode the voucher for %s: %w", v.ID, err)
	}
	sig, err := crypt.Sign(alg, priv, body)
	if err != nil {
		return nil, fmt.Errorf("sign the voucher for %s: %w", v.ID, err)
	}
	return wire.Encode(wire.NewMap("body", body, "sig", sig))
}

// ReadVoucher decodes a voucher without checking its signature. The caller needs to know the
// issuer before it calls [Check].
func ReadVoucher(text []byte) (v Voucher, body, sig []byte, err error) {
	fail := func(err error) (Voucher, []byte, []byte, error) {
		return Voucher{}, nil, nil, fmt.Errorf("voucher: %w: %w", ErrBad, err)
	}
	if len(text) > maxText {
		return fail(fmt.Errorf("it has %d bytes", len(text)))
	}
	outer, err := wire.DecodeMap(text)
	if err != nil {
		return fail(err)
	}
	body, sig = outer.Bytes("body"), outer.Bytes("sig")
	d, err := wire.DecodeMap(body)
	if err != nil {
		return fail(err)
	}
	v = Voucher{
		ID: d.String("id"), Issuer: d.String("issuer"), Finger: d.String("finger"), Role: d.String("role"), To: d.String("to"),
		Made: time.Unix(0, d.Int("made")), Until: time.Unix(d.Int("until"), 0),
	}
	if d.String("kind") != v.kind() {
		return fail(fmt.Errorf("its kind is %q", d.String("kind")))
	}
	return v, body, sig, nil
}

// Check checks that a voucher is valid for an id and key at now, issued by a node that lists
// name. own is the id of this node. Its own vouchers are refused, because it knows itself which
// keys it accepts.
func Check(text []byte, id, pub, own string, lists []List, now time.Time) (Voucher, error) {
	v, err := check(text, id, Finger(pub), own, lists, now)
	if err == nil && v.To != "" {
		err = fmt.Errorf("voucher of %s for %s: %w: it is for staying, not for coming", v.Issuer, id, ErrBad)
	}
	return v, err
}

// CheckTransfer checks that the home of a peer, whose key has that [Finger], lets it stay at
// the node own for good.
func CheckTransfer(text []byte, id, finger, own string, lists []List, now time.Time) (Voucher, error) {
	v, err := check(text, id, finger, own, lists, now)
	if err == nil && v.To != own {
		err = fmt.Errorf("word of %s that %s may stay: %w: it is for %q", v.Issuer, id, ErrBad, v.To)
	}
	return v, err
}

func check(text []byte, id, finger, own string, lists []List, now time.Time) (Voucher, error) {
	v, body, sig, err := ReadVoucher(text)
	if err != nil {
		return Voucher{}, err
	}
	switch {
	//mutant:vouchers-expire
	case v.Until.Sub(v.Made) > VoucherLife+time.Minute:
		return Voucher{}, fmt.Errorf("voucher of %s for %s: %w: it would count for more than %s", v.Issuer, id, ErrBad, VoucherLife)
	case v.Made.After(now.Add(ClockSlack)):
		return Voucher{}, fmt.Errorf("voucher of %s for %s: %w: it was made in the future, at %s; look at the clocks", v.Issuer, id, ErrBad, v.Made.Format(time.RFC3339))
	case v.ID != id || v.Finger == "" || subtle.ConstantTimeCompare([]byte(v.Finger), []byte(finger)) != 1:
		return Voucher{}, fmt.Errorf("voucher of %s: %w: it is for another id or key than %s's", v.Issuer, ErrBad, id)
	case !now.Before(v.Until):
		return Voucher{}, fmt.Errorf("voucher of %s for %s: %w: it ended at %s", v.Issuer, id, ErrBad, v.Until.Format(time.RFC3339))
	case v.Issuer == own:
		return Voucher{}, fmt.Errorf("voucher for %s: %w: this node made it and does not accept the key any more", id, ErrBad)
	}
	for _, l := range lists {
		if _, here := l.Find(own); !here {
			continue // own is not in the list, so its nodes are not our siblings
		}
		n, ok := l.Find(v.Issuer)
		if !ok {
			continue
		}
		key, err := crypt.ParsePublicPEM(n.Pub)
		if err == nil {
			err = crypt.Verify(alg, key, body, sig)
		}
		if err != nil {
			return Voucher{}, fmt.Errorf("voucher of %s for %s: %w: %w", v.Issuer, id, ErrBad, err)
		}
		return v, nil
	}
	return Voucher{}, fmt.Errorf("voucher of %s for %s: %w: that node is no sibling of this one", v.Issuer, id, ErrBad)
}
