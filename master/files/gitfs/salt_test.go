package gitfs_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/master/files/gitfs/gitfstest"
)

var record = flag.Bool("record", false, "ask the Salt of SALT_PEER, with GitPython, and keep what it answers")

const transcript = "testdata/salt.json"

// TestAsSalt: fifteen configurations of two repositories have the environments, lists, links,
// hashes and modes of Salt 3006 with GitPython.
func TestAsSalt(t *testing.T) {
	site := gitfstest.NewSite(t)
	said := map[string]gitfstest.Answer{}
	if *record {
		for _, c := range gitfstest.Cases {
			said[c.Name] = gitfstest.Salt(t, os.Getenv("SALT_PEER"), site, c)
		}
		text, err := json.MarshalIndent(said, "", " ")
		if err == nil {
			err = os.WriteFile(transcript, append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(transcript)
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range gitfstest.Cases {
		t.Run(c.Name, func(t *testing.T) {
			want, ok := said[c.Name]
			if !ok {
				t.Fatal("it is not in the transcript: run with -record")
			}
			if d := cmp.Diff(want, gitfstest.Ours(t, site, c)); d != "" {
				t.Errorf("Salt (-), ours (+):\n%s", d)
			}
		})
	}
}
