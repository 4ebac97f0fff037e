package sibling

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// GoneLife is how long a [Gone] is kept: longer than any voucher counts.
const GoneLife = VoucherLife + time.Hour

// maxGone bounds the entries of one message.
const maxGone = 65536

// Gone is the word of a node that a key was deleted or rejected there. It travels to the master
// above and from there to the siblings, for whom vouchers of that node have counted.
type Gone struct {
	// ID is whose key it was; "" means all keys that By has vouched for until then, which
	// stands for more of them than are told one by one.
	ID string
	// Finger is the key, "" where it is not known: whatever key ID has.
	Finger string
	// By is the node where the key is gone, and Home the node whose guest it was there, ""
	// for one of By's own.
	By, Home string
	At       time.Time
}

// names tells whether it is about the key of an id.
func (g Gone) names(id, finger string) bool {
	return g.ID == "" || g.ID == id && (g.Finger == "" || g.Finger == finger)
}

// Voids tells whether a voucher counts for nothing at the node own: the key is gone where the
// voucher stands on it, or an operator has deleted it at own itself. A key that is accepted anew
// has newer vouchers.
func (g Gone) Voids(v Voucher, own string) bool {
	switch {
	case !g.names(v.ID, v.Finger):
		return false
	case g.By == own:
		return g.ID != ""
	}
	return (g.By == v.Issuer || g.Home == v.Issuer) && !v.Made.After(g.At)
}

// ShutsOut tells whether a key that is held on the word of the node home, given at made,
// is to be dropped.
func (g Gone) ShutsOut(id, finger, home string, made time.Time) bool {
	return home != "" && g.names(id, finger) && (g.By == home || g.Home == home) && !made.After(g.At)
}

// Map is an entry inside a request.
func (g Gone) Map() *wire.Map {
	return wire.NewMap("id", g.ID, "finger", g.Finger, "by", g.By, "home", g.Home, "at", g.At.UnixNano())
}

// GoneMaps is a list of them inside a request.
func GoneMaps(gs []Gone) []any {
	out := make([]any, len(gs))
	for i, g := range gs {
		out[i] = g.Map()
	}
	return out
}

// ReadGone reads such a list. What cannot be is left out and told by err.
func ReadGone(vs []any) (out []Gone, err error) {
	bad := 0
	for _, v := range vs {
		m, ok := v.(*wire.Map)
		if !ok || len(out) >= maxGone {
			bad++
			continue
		}
		g := Gone{ID: m.String("id"), Finger: m.String("finger"), By: m.String("by"), Home: m.String("home"), At: time.Unix(0, m.Int("at"))}
		if !g.Usable() {
			bad++
			continue
		}
		out = append(out, g)
	}
	if bad > 0 {
		err = fmt.Errorf("keys that are gone: %w: %d entries are none, or too many", ErrBad, bad)
	}
	return out, err
}

// Usable tells whether its fields can be.
func (g Gone) Usable() bool {
	const most = 1024
	return (g.Finger == "" || crypt.IsFinger(g.Finger)) && len(g.ID) <= most && len(g.By) <= most && len(g.Home) <= most
}

// SumGone stands for a set of them, whatever their order: who has those need not be told. ""
// for none.
func SumGone(gs []Gone) string {
	if len(gs) == 0 {
		return ""
	}
	lines := make([]string, len(gs))
	for i, g := range gs {
		lines[i] = fmt.Sprintf("%q %s %q %q %d\n", g.ID, g.Finger, g.By, g.Home, g.At.UnixNano())
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:])
}
