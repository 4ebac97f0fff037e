//go:build saltpeer

package binders

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/momtree/mom/internal/wire"
)

// The recorded readings are those of the Salt in SALT_PEER. With RECORD=1 they are written
// anew.
func TestRecordedIsSalt(t *testing.T) {
	peer := os.Getenv("SALT_PEER")
	if peer == "" {
		t.Fatal("SALT_PEER names no folder with Salt's programs")
	}
	dir := t.TempDir()
	var in bytes.Buffer
	for _, l := range lists() {
		in.Write(jsonOf(t, wire.NewMap("list", l)))
		in.WriteByte('\n')
	}
	module, err := os.ReadFile("testdata/binder.py")
	if err != nil {
		t.Fatal(err)
	}
	from, to := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for path, b := range map[string][]byte{from: in.Bytes(), filepath.Join(dir, "modules", "binder.py"): module, filepath.Join(dir, "minion"): []byte("root_dir: " + dir + "\nmodule_dirs: [" + dir + "/modules]\nfile_client: local\n")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(peer, "bin", "salt-call"), "--local", "-c", dir, "binder.record", from, to)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("RECORD") != "" {
		if err := os.WriteFile(recording, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s reads the lists otherwise than recorded; compare %s and %s", peer, to, recording)
	}
}
