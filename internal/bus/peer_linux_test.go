package bus

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An installation is recognized by its version file or by its sources.
func TestInstalled(t *testing.T) {
	dir := t.TempDir()
	transport := filepath.Join(dir, "salt", "transport")
	if err := os.MkdirAll(transport, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := installed(dir); got.known() {
		t.Errorf("an empty folder: %+v", got)
	}
	for file, text := range map[string]string{
		"ipc.py": "import struct\n", "tcp.py": strings.Repeat("# x\n", 30000) + `length = struct.unpack(">I", length_bytes)[0]`,
	} {
		if err := os.WriteFile(filepath.Join(transport, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := installed(dir), (installation{sources: true, tcpLength: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
