package localcluster_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/localcluster"
)

// Minions that trust only the top (verify_top): its jobs reach them over two tiers as they were
// signed, with all fields that a job may have; a job of a node in between is refused, and the
// refusal is reported.
func TestMinionsThatBelieveTheTopAlone(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tops := filepath.Join(t.TempDir(), "tops.pub")
	verify := "verify_top: " + tops + "\n"
	s := &stand{}
	t.Cleanup(func() { s.fell(t) })
	s.planted = func() {
		pair, err := crypt.EnsureKeyPair(filepath.Join(s.cluster.Top().Dir, "etc/salt/pki/master"), "master", 2048)
		if err == nil {
			err = os.WriteFile(tops, []byte(pair.PublicPEM), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	spec := localcluster.Spec{ID: "top", Master: "sign_jobs: True\n", Minion: verify, Minions: []string{"top-01"}, Nodes: []localcluster.Spec{
		{ID: "syn-a", Minion: verify, Minions: []string{"web-01"}, Nodes: []localcluster.Spec{{ID: "syn-c", Minion: verify, Minions: []string{"db-01"}}}},
	}}
	err := s.plant(ctx, t, spec)
	if err == nil {
		err = s.settle(ctx)
	}
	if err != nil {
		s.dump(t)
		t.Fatal(err)
	}
	shown, err := s.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.echo"}, Args: []any{"from the top"}, Timeout: 20 * time.Second})
	want := "db-01 from the top\ntop-01 from the top\nweb-01 from the top\nexpected=3 returned=3 failed=0 missing=0\n"
	if err != nil || shown != want {
		s.dump(t)
		t.Errorf("the bus of the top says\n%s%v, want\n%s", shown, err, want)
	}
	// A user of the node itself, who has the key of that node's root.
	node, _ := s.cluster.Find("syn-c")
	c, err := client.Open(node.ConfDir)
	if err != nil {
		t.Fatal(err)
	}
	below := &stand{client: c}
	defer below.client.Close()
	shown, err = below.publish(ctx, client.Job{Tgt: "*", Fun: []string{"test.echo"}, Args: []any{"from between"}})
	if err != nil || !strings.Contains(shown, "verify_top") || strings.Contains(shown, "from between\n") || !strings.Contains(shown, "failed=1") {
		t.Errorf("the bus of the node says\n%s%v", shown, err)
	}
}
