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

// GoneLife is how long a [Gone] is kept: longer than any voucher is valid.
const GoneLife = VoucherLife + time.Hour

// maxGone bounds the entries of one message.
const maxGone = 65536

// Gone reports that a key was deleted or rejected at a node. It is sent to the parent and from
// there to the siblings, which accepted vouchers of that node.
type Gone struct {
	// ID is the owner of the key. "" means all keys for which By issued vouchers until At; it
	// replaces a list that would be too long.
	ID string
	// Finger is the fingerprint of the key; "" if unknown, which means any key of ID.
	Finger string
	// By is the node where the key is gone. Home is the node whose guest the owner was there,
	// "" for one of By's own minions.
	By, Home string
	At       time.Time
}

// names reports whether g is about the key finger of id.
func (g Gone) names(id, finger string) bool {
	return g.ID == "" || g.ID == id && (g.Finger == "" || g.Finger == finger)
}

// Voids reports whether voucher v is void at the node own: because the key is gone at its
// issuer or home, or because an operator deleted it at own. A key that is accepted again has
// newer vouchers.
func (g Gone) Voids(v Voucher, own string) bool {
	switch {
	case !g.names(v.ID, v.Finger):
		return false
	case g.By == own:
		return g.ID != ""
	}
	return (g.By == v.Issuer || g.Home == v.Issuer) && !v.Made.After(g.At)
}

// ShutsOut reports whether a key must be dropped that was accepted on a voucher of the node
// home, issued at made.
func (g Gone) ShutsOut(id, finger, home string, made time.Time) bool {
	return home != "" && g.names(id, finger) && (g.By == home || g.Home == home) && !made.After(g.At)
}

// Map returns the entry for a request.
func (g Gone) Map() *wire.Map {
	return wire.NewMap("id", g.ID, "finger", g.Finger, "by", g.By, "home", g.Home, "at", g.At.UnixNano())
}

// GoneMaps returns the list for a request.
func GoneMaps(gs []Gone) []any {
	out := make([]any, len(gs))
	for i, g := range gs {
		out[i] = g.Map()
	}
	return out
}

// ReadGone reads such a list. It skips invalid entries and reports them in err.
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
		err = fmt.Errorf("keys that are gone: %w: %d entries are invalid or beyond the limit", ErrBad, bad)
	}
	return out, err
}

// Usable reports whether the fields of g are valid.
func (g Gone) Usable() bool {
	const most = 1024
	return (g.Finger == "" || crypt.IsFinger(g.Finger)) && len(g.ID) <= most && len(g.By) <= most && len(g.Home) <= most
}

// SumGone returns a checksum of a set, whatever its order. A peer that sends the same sum need
// not be sent the set. It returns "" for an empty set.
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
