//go:build saltpeer

package target

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var (
	askCases  = flag.Int("targets", 20_000, "how many targets of each kind Salt is asked about")
	askSeed   = flag.Uint64("seed", 1, "where the generator begins")
	askKind   = flag.String("kind", "", "only this kind")
	askRecord = flag.Bool("record", false, "keep the first 10,000 answers of each kind in testdata/salt")
)

// TestAsksSalt compares generated targets with the answers of the Salt at SALT_PEER.
//
//	SALT_PEER=DIR go test -tags saltpeer ./internal/target -run AsksSalt -v [-targets N] [-seed N] [-record]
func TestAsksSalt(t *testing.T) {
	subjects, groups := askedSubjects(t)
	for _, kind := range askedKinds {
		if *askKind != "" && *askKind != kind {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			g := newGenerator(kind, *askSeed)
			tgts := make([]string, *askCases)
			for i := range tgts {
				tgts[i] = g.target(kind)
			}
			said := askSalt(t, kind, tgts)
			counts, refusals, spent := map[byte]int{}, 0, 0
			for i, tgt := range tgts {
				for _, c := range []byte(said[i]) {
					counts[c]++
				}
				differs, open, refused := judgeTarget(kind, tgt, said[i], subjects, groups)
				if differs != "" {
					t.Errorf("%q: %s", tgt, differs)
				}
				if open {
					spent++
				}
				if refused == nil {
					continue
				}
				if refusals++; !knownRefusal(kind, refused) {
					t.Errorf("%q means somebody in Salt: %v", tgt, refused)
				}
			}
			t.Logf("%d targets: Salt says yes %d times, no %d, error %d, too late %d; refused here and somebody's there: %d; too many steps here: %d",
				len(tgts), counts['1'], counts['0'], counts['x'], counts['t'], refusals, spent)
			if *askRecord {
				keep(t, kind, tgts, said)
			}
		})
	}
}

func askSalt(t *testing.T, kind string, tgts []string) []string {
	t.Helper()
	peer := os.Getenv("SALT_PEER")
	if peer == "" {
		t.Fatal("SALT_PEER is not set: give the folder of an installed Salt")
	}
	dir := t.TempDir()
	var in bytes.Buffer
	for _, tgt := range tgts {
		b, err := json.Marshal([]string{kind, tgt})
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(b, '\n'))
	}
	cases, answers := filepath.Join(dir, "cases"), filepath.Join(dir, "answers")
	minions, err := filepath.Abs("testdata/salt/minions.json")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("testdata/salt/asktargets.py")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"cases": in.Bytes(), "asktargets.py": code,
		"minion": fmt.Appendf(nil, "root_dir: %s\nid: asked\nfile_client: local\nmodule_dirs: [%s]\nlog_level: quiet\nlog_level_logfile: quiet\ngrains_cache: False\n", dir, dir),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(peer, "bin", "salt-call"), "--local", "-c", dir, "--out=json", "asktargets.ask", minions, cases, answers)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("salt-call: %v\n%s", err, out)
	}
	text, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Fields(string(text))
	if len(said) != len(tgts) {
		t.Fatalf("%d answers to %d targets", len(said), len(tgts))
	}
	return said
}

func keep(t *testing.T, kind string, tgts, said []string) {
	t.Helper()
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for i, tgt := range tgts[:min(len(tgts), 10_000)] {
		b, err := json.Marshal(tgt)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(z, "%s\n%s\n", b, said[i])
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/salt/"+kind+".gz", out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
