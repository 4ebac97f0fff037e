package runners

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/wire"
)

// held counts the stored results and their bytes.
func (r *Results) held() (results, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byJID == nil {
		return 0, r.bytes
	}
	return r.byJID.Len(), r.bytes
}

func TestRunResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Results
		r.Put("1", "fred", wire.Raw("one"))
		r.Put("1", "fred", wire.Raw("uno")) // same id
		if b, ok := r.Take("1", ""); !ok || string(b) != "uno" {
			t.Errorf("took %q, %t", b, ok)
		}
		if n, bytes := r.held(); n != 0 || bytes != 0 {
			t.Errorf("%d results of %d bytes are left", n, bytes)
		}
		if _, ok := r.Take("1", ""); ok {
			t.Error("a result was returned twice")
		}
		// New results evict the oldest ones.
		for i := range maxResults + 2 {
			r.Put(fmt.Sprint(i), "fred", wire.Raw("x"))
		}
		if _, ok := r.Take("1", ""); ok {
			t.Error("the second is held")
		}
		if n, _ := r.held(); n != maxResults {
			t.Errorf("%d results are held, want %d", n, maxResults)
		}
		if _, ok := r.Take("2", "eve"); ok {
			t.Error("eve has the result of fred")
		}
		if _, ok := r.Take("2", "fred"); !ok {
			t.Error("the third is gone")
		}
		// So do large results.
		big := make(wire.Raw, maxResultBytes/2+1)
		r.Put("a", "fred", big)
		r.Put("b", "fred", big)
		if _, ok := r.Take("a", ""); ok {
			t.Error("two big results are held")
		}
		if _, bytes := r.held(); bytes != len(big) {
			t.Errorf("%d bytes are held, want %d", bytes, len(big))
		}
		// Nobody fetches the last result.
		time.Sleep(resultLife + time.Second)
		synctest.Wait()
		if n, bytes := r.held(); n != 0 || bytes != 0 {
			t.Errorf("%d results of %d bytes outlived their time", n, bytes)
		}
	})
}
