package remote

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/topology/trace"
)

// The tree and traces are read by paths that fire no events.
func TestTreeAndTrace(t *testing.T) {
	f := startAPI(t)
	f.answers("GET /tree", `{"return": [{"id": "top", "role": "master", "state": "up", "minions": [], "nodes": []}]}`)
	f.answers("GET /jobs/"+testJID+"/status", `{"return": [{"node": "top", "state": "closed", "expected": 3}]}`)
	c := f.client()
	n, err := c.Tree(t.Context())
	if err != nil || n.ID != "top" {
		t.Errorf("%+v, %v", n, err)
	}
	s, err := c.Trace(t.Context(), testJID, 5*time.Second)
	if err != nil || s.Node != "top" || s.State != trace.Closed || s.Expected != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	f.fails("GET /jobs/1/status", http.StatusNotFound, `{"status": 404, "return": "unknown job: the master has no record of it, or no longer"}`)
	var failed *client.RunnerError
	if _, err = c.Trace(t.Context(), "1", 0); !errors.As(err, &failed) || !strings.Contains(failed.Reason, "unknown job") {
		t.Errorf("%v", err)
	}
	for _, what := range f.requests() {
		if strings.HasPrefix(what, "POST") {
			t.Errorf("the API was asked to run: %s", what)
		}
	}
	f.answers("GET /tree", `{"return": ["no tree"]}`)
	if _, err := c.Tree(context.Background()); err == nil {
		t.Error("a text is taken for a tree")
	}
}
