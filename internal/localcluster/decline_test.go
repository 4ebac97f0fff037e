package localcluster_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/localcluster"
)

// F1, F2: the tree never waits forever for a connected minion, and one that does not run a job
// reports why. Three tiers; node groups that only the top knows, a node that refuses a
// function, and a minion that requires signatures from a master that does not sign.
func TestWhoDoesNotTakeAJobSaysWhy(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	err := s.plant(ctx, t, staying(localcluster.Spec{
		ID: "top", Master: "nodegroups:\n  all: 'N@web or top-*'\n  web: 'web-*'\n", Minions: []string{"top-01"},
		Nodes: []localcluster.Spec{
			{ID: "mid", Master: "publisher_acl_blacklist:\n  modules: [test.arg]\n", Minions: []string{"web-01"}, Nodes: []localcluster.Spec{
				{ID: "low", Minions: []string{"web-02"}},
			}},
			{ID: "plain", Master: "sign_pub_messages: False\n", Minion: "sign_pub_messages: True\n", Minions: []string{"db-01"}},
		},
	}))
	if err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		job  client.Job
		want []string
	}{
		{"groups of the top", client.Job{Tgt: "N@all", TgtType: "compound", Fun: []string{"test.ping"}}, []string{
			"top-01 True\nweb-01 True\nweb-02 True\nexpected=3 returned=3 failed=0 missing=0\n",
		}},
		{"a function that a node refuses", client.Job{Tgt: "*", Fun: []string{"test.arg"}}, []string{
			"node mid refused: ", "AuthorizationError", "top-01 ", "missing=2\n",
		}},
		{"a minion that wants signatures", client.Job{Tgt: "db-*", Fun: []string{"test.ping"}}, []string{
			"db-01 ERROR: db-01 does not take the job: ", "sign_pub_messages: True on the master", "expected=1 returned=0 failed=1 missing=0\n",
		}},
	} {
		shown, err := s.publish(ctx, c.job)
		for _, want := range c.want {
			if err != nil || !strings.Contains(shown, want) {
				t.Errorf("%s: the bus of the top says\n%s%v, want %q", c.what, shown, err, want)
			}
		}
	}
	if _, err := s.publish(ctx, client.Job{Tgt: "N@none", TgtType: "compound", Fun: []string{"test.ping"}}); err == nil || !strings.Contains(err.Error(), `unknown node group "none"`) {
		t.Errorf("an unknown group: %v", err)
	}
	if t.Failed() {
		s.dump(t)
	}
}
