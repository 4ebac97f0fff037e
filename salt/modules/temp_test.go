package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTemp(t *testing.T) {
	dir := t.TempDir()
	for _, fun := range []string{"temp.dir", "temp.file"} {
		path := PyStr(run(t, newEnv(), fun, ".s", "p-", dir).Value)
		info, err := os.Stat(path)
		if err != nil || filepath.Dir(path) != dir || !strings.HasPrefix(filepath.Base(path), "p-") || !strings.HasSuffix(path, ".s") || info.Mode().Perm()&0o077 != 0 || info.IsDir() != (fun == "temp.dir") {
			t.Errorf("%s: %s, %v, %v", fun, path, info, err)
		}
		if got := run(t, newEnv(), fun, "/x", "p"); !strings.Contains(PyStr(got.Value), "is invalid") {
			t.Errorf("%s: %v", fun, got.Value)
		}
	}
}
