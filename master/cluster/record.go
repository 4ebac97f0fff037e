package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/wire"
)

// The states of a key, for which operators decide. A pending key has none.
const (
	accepted = "accepted"
	rejected = "rejected"
	deleted  = "deleted"
)

// existing is the version of a key that was there before any top recorded it. It loses against every
// act of an operator.
const existing = 1

// record is the last decision about the key of an id, at any top.
type record struct {
	ID    string
	State string
	Key   string // fingerprint; "" if deleted
	Node  bool   // admitted as a node
	// At is the time of the decision in µs, by the clock of the top where it was made. It rises with
	// each decision about one id. By is the id of that top.
	At int64
	By string
}

// newer reports whether r replaces old.
func (r record) newer(old record) bool {
	if r.At != old.At {
		return r.At > old.At
	}
	return r.By > old.By
}

// same reports whether both have the same effect.
func (r record) same(old record) bool {
	return r.State == old.State && r.Key == old.Key && r.Node == old.Node
}

// conflicts reports whether two tops had different keys of an id before they recorded it.
func (r record) conflicts(old record) bool {
	return r.At == existing && old.At == existing && !r.same(old)
}

func (r record) wire(pem string) []any { return []any{r.ID, r.State, r.Key, r.Node, r.At, r.By, pem} }

// readRecord decodes what wire returned.
func readRecord(v any) (r record, pem string, ok bool) {
	f, is := v.([]any)
	if !is || len(f) < 7 {
		return r, "", false
	}
	var oks [7]bool
	r.ID, oks[0] = f[0].(string)
	r.State, oks[1] = f[1].(string)
	r.Key, oks[2] = f[2].(string)
	r.Node, oks[3] = f[3].(bool)
	r.At, oks[4] = f[4].(int64)
	r.By, oks[5] = f[5].(string)
	pem, oks[6] = f[6].(string)
	if slices.Contains(oks[:], false) || r.At < existing || !slices.Contains([]string{accepted, rejected, deleted}, r.State) {
		return record{}, "", false
	}
	return r, pem, true
}

// digestOf identifies a set of records.
func digestOf(records map[string]record) string {
	lines := make([]string, 0, len(records))
	for _, r := range records {
		lines = append(lines, fmt.Sprintf("%q %s %s %t %d %q\n", r.ID, r.State, r.Key, r.Node, r.At, r.By))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))
	return hex.EncodeToString(sum[:16])
}

// encodeRecords returns the file of the records, decodeRecords reads it.
func encodeRecords(records map[string]record) ([]byte, error) {
	out := make([]any, 0, len(records))
	for _, r := range records {
		out = append(out, r.wire(""))
	}
	return wire.Encode(wire.NewMap("records", out))
}

func decodeRecords(b []byte) (map[string]record, error) {
	d, err := wire.DecodeMap(b)
	if err != nil {
		return nil, fmt.Errorf("read key records: %w", err)
	}
	out := map[string]record{}
	for _, v := range d.List("records") {
		if r, _, ok := readRecord(v); ok {
			out[r.ID] = r
		}
	}
	return out, nil
}
