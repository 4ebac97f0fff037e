package api

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// Attack: requests with keys of their own that are refused, without end. Nothing is remembered
// of them, while an older one is.
func TestRepeats_Refused(t *testing.T) {
	r := newRepeatStore(time.Now)
	id := func(i int) [32]byte { return sha256.Sum256([]byte(fmt.Sprint(i))) }
	do := func(i, status int) {
		t.Helper()
		one, mine := r.begin(id(i), id(0))
		if !mine {
			t.Fatalf("%d was there", i)
		}
		r.end(id(i), one, reply{status: status})
	}
	do(0, http.StatusOK)
	for i := range 1000 {
		do(i+1, http.StatusUnauthorized)
	}
	if len(r.table) != 1 || len(r.order) != 1 {
		t.Errorf("%d are remembered, in an order of %d", len(r.table), len(r.order))
	}
	if _, mine := r.begin(id(0), id(0)); mine {
		t.Error("what was answered is forgotten")
	}
}
