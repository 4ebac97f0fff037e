//go:build saltpeer

package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRecord asks the Salt of SALT_PEER the questions of TestModelIsSalts, and keeps its answers.
//
//	SALT_PEER=DIR go test -tags saltpeer ./test/hostile -run TestRecord
func TestRecord(t *testing.T) {
	peer := os.Getenv("SALT_PEER")
	if peer == "" {
		t.Fatal("SALT_PEER is not set: give the folder of an installed Salt")
	}
	dir := t.TempDir()
	pki := filepath.Join(dir, "pki")
	var in bytes.Buffer
	for _, q := range questions(recordedTargets, recordedBinds, recordedRules) {
		b, err := json.Marshal(q.ask)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(b, '\n'))
	}
	code, err := os.ReadFile("testdata/asksalt.py")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		"cases": in.Bytes(), "asksalt.py": code,
		"minion": fmt.Appendf(nil, "root_dir: %s\nid: asked\nfile_client: local\nmodule_dirs: [%s]\nlog_level: quiet\nlog_level_logfile: quiet\n", dir, dir),
	}
	plant(true).walk(func(m *minion) { files["pki/minions/"+m.id] = nil })
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	answers := filepath.Join(dir, "answers")
	cmd := exec.CommandContext(t.Context(), filepath.Join(peer, "bin", "salt-call"), "--local", "-c", dir, "--out=json", "asksalt.ask", filepath.Join(dir, "cases"), answers, pki)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("salt-call: %v\n%s", err, out)
	}
	text, err := os.ReadFile(answers)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = z.Write(text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(recordedFile, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
