package daemon

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCgroupLimit(t *testing.T) {
	for name, c := range map[string]struct {
		self  string
		files map[string]string
		want  int64
	}{
		"version 2":               {"0::/system.slice/mom.service\n", map[string]string{"system.slice/mom.service/memory.max": "104857600\n"}, 104857600},
		"version 2, of a parent":  {"0::/a/b\n", map[string]string{"a/b/memory.max": "max\n", "a/memory.max": "5000000\n"}, 5000000},
		"version 2, in container": {"0::/\n", map[string]string{"memory.max": "50331648\n"}, 50331648},
		"version 2, none":         {"0::/a\n", map[string]string{"a/memory.max": "max\n"}, 0},
		"version 1, path of host": {"5:cpu,memory:/docker/1234\n1:name=systemd:/x\n", map[string]string{"memory/memory.limit_in_bytes": "50331648\n"}, 50331648},
		"version 1, lowest":       {"5:memory:/a\n", map[string]string{"memory/memory.limit_in_bytes": "900\n", "memory/a/memory.limit_in_bytes": "800\n"}, 800},
		"version 1, none":         {"5:memory:/\n", map[string]string{"memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"another controller":      {"5:cpu:/a\n", map[string]string{"memory/a/memory.limit_in_bytes": "800\n"}, 0},
		"garbage":                 {"x\n", map[string]string{"memory.max": "1\n"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			self := filepath.Join(dir, "self")
			c.files["../self"] = c.self
			for path, text := range c.files {
				path = filepath.Join(dir, "fs", path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := cgroupLimit(self, filepath.Join(dir, "fs")); got != c.want || err != nil {
				t.Errorf("%d, %v; want %d", got, err, c.want)
			}
		})
	}
	if got, err := cgroupLimit(filepath.Join(t.TempDir(), "none"), "/"); got != 0 || err != nil {
		t.Errorf("without cgroups: %d, %v", got, err)
	}
}
