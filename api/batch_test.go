package api

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// Salt runs a job with batch on all minions at once where the client is not local_batch. It is refused here.
func TestBatch_OfOtherClients(t *testing.T) {
	f := newFake()
	token := f.token("alice", time.Hour)
	s := serve(t, f)
	for _, name := range []string{"local", "local_async", "local_subset"} {
		for batch, want := range map[string]string{`"1"`: "use local_batch", `2`: "use local_batch", `"10%"`: "use local_batch", `null`: "", `""`: ""} {
			jobs := len(f.published)
			w := sent{
				method: "POST", path: "/", kind: asJSONText, body: `{"client":"` + name + `","tgt":"web-01","fun":"test.ping","batch":` + batch + `}`,
				head: map[string]string{"X-Auth-Token": token},
			}.do(s)
			refused := w.Code == http.StatusBadRequest && strings.Contains(w.Body.String(), want)
			if (want != "") != refused || refused && len(f.published) != jobs {
				t.Errorf("%s with batch %s: %d %s", name, batch, w.Code, w.Body)
			}
		}
	}
}
