package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/value"
)

// BenchmarkLocal runs a job on one minion under a token: all that the API does for it besides the calls of
// the master.
func BenchmarkLocal(b *testing.B) {
	f := newFake()
	alice := f.token("alice", time.Hour)
	s := serve(b, f)
	b.ReportAllocs()
	for b.Loop() {
		f.published, f.traces = nil, nil
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(jobJSON))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Auth-Token", alice)
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}

// BenchmarkJobList encodes a list of 1,000 jobs.
func BenchmarkJobList(b *testing.B) {
	list := value.NewMap()
	for i := range 1000 {
		list.Set(fmt.Sprintf("20240101%012d", i), value.NewMap("Function", "test.ping", "Arguments", []any{}, "Target", "m0001", "Target-type", "glob", "User", "load", "StartTime", "2024, Jan 01 00:00:00.000000"))
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encode(asJSON, value.NewMap("return", []any{list})); err != nil {
			b.Fatal(err)
		}
	}
}
