package modules

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/value"
)

// The results are those of Salt 3006.27 for the same calls, in this order.
func TestData(t *testing.T) {
	env := newEnv()
	dir := t.TempDir()
	env.options.Set("cachedir", filepath.Join(dir, "cache"))
	type m = map[string]any
	calls(t, env, []callCase{
		{"data.clear", nil, true},
		{"data.load", nil, m{}},
		{"data.keys", nil, []any{}},
		{"data.values", nil, []any{}},
		{"data.update", []any{"a", int64(1)}, true},
		{"data.update", []any{"b", []any{int64(1), value.NewMap("x", nil)}}, true},
		{"data.items", nil, m{"a": int64(1), "b": []any{int64(1), m{"x": nil}}}},
		{"data.keys", nil, []any{"a", "b"}},
		{"data.get", []any{"a"}, int64(1)},
		{"data.get", []any{"z"}, nil},
		{"data.get", []any{"z", "d"}, "d"},
		{"data.get", []any{[]any{"a", "z"}}, []any{int64(1)}},
		{"data.get", []any{[]any{"a", "z"}, int64(0)}, []any{int64(1), int64(0)}},
		{"data.has_key", []any{"a"}, true},
		{"data.has_key", []any{"z"}, false},
		{"data.cas", []any{"a", int64(2), int64(1)}, true},
		{"data.cas", []any{"a", int64(2), int64(1)}, false},
		{"data.cas", []any{"z", int64(2), int64(1)}, false},
		{"data.pop", []any{"a"}, int64(2)},
		{"data.pop", []any{"a", "gone"}, "gone"},
		{"data.dump", []any{value.NewMap("q", int64(1))}, true},
		{"data.dump", []any{"text"}, false},
		{"data.load", nil, m{"q": int64(1)}},
	})
	file := filepath.Join(dir, "cache", "datastore")
	if err := os.WriteFile(file, []byte{0x81}, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, env, "data.update", "a", 1); !strings.Contains(PyStr(got.Value), "data.clear") {
		t.Errorf("a broken store: %v", got.Value)
	}
	if got := run(t, env, "data.clear"); got.Value != true {
		t.Error(got.Value)
	}
}

// The results are those of Salt 3006.27 for the same calls, with a program in place of the
// kernel.
func TestSysctl(t *testing.T) {
	dir := t.TempDir()
	old := procSys
	procSys = filepath.Join(dir, "sys")
	t.Cleanup(func() { procSys = old })
	conf := filepath.Join(dir, "d", "x.conf")
	if err := errors.Join(os.MkdirAll(filepath.Join(procSys, "kernel"), 0o700), os.WriteFile(filepath.Join(procSys, "kernel", "x"), []byte("1"), 0o600)); err != nil {
		t.Fatal(err)
	}
	f := withFakes(t, map[string]string{"sysctl": `case "$1" in
-a) echo "kernel.x = 1"; echo "a.b = c = d"; echo nothing;;
-n) cat $here/value;;
-w) echo "${2%%=*} = ${2#*=}"; echo "${2#*=}" > $here/value;;
esac`})
	f.put("value", "1\n")
	type m = map[string]any
	calls(t, newEnv(), []callCase{
		{"sysctl.show", nil, m{"kernel.x": "1", "a.b": "c = d"}},
		{"sysctl.get", []any{"kernel.x"}, "1"},
		{"sysctl.assign", []any{"kernel.x", int64(2)}, m{"kernel.x": "2"}},
		{"sysctl.assign", []any{"no.such", "1"}, "ERROR: sysctl no.such does not exist"},
		{"sysctl.persist", []any{"kernel.x", "2", conf}, "Updated"},
		{"sysctl.persist", []any{"kernel.x", "2", conf}, "Already set"},
		{"sysctl.persist", []any{"kernel.x", "3", conf}, "Updated"},
		{"sysctl.show", []any{conf}, m{"kernel.x": "3"}},
		{"sysctl.show", []any{dir + "/none"}, []any{}},
	})
	b, err := os.ReadFile(conf)
	if err != nil || string(b) != "#\n# Kernel sysctl configuration\n#\nkernel.x = 3\n" {
		t.Errorf("%q, %v", b, err)
	}
	for _, bad := range []string{"-w", "../../etc/passwd", "a\nb"} {
		if got := run(t, newEnv(), "sysctl.assign", bad, "1"); !strings.Contains(PyStr(got.Value), "is invalid") && !strings.Contains(PyStr(got.Value), "does not exist") {
			t.Errorf("%q: %v", bad, got.Value)
		}
	}
}

// The results are those of Salt 3006.27 for the same files.
func TestMount(t *testing.T) {
	old := procFile
	t.Cleanup(func() { procFile = old })
	procFile = func(name string) ([]byte, error) {
		text, ok := map[string]string{
			"self/mounts":    "proc /proc proc rw,relatime 0 0\n/dev/vdb /a\\040b ext4 ro,lowerdir=/x\\040y 0 0\nshort\n",
			"self/mountinfo": "22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw\n1 2 x - y\n",
			"swaps":          "Filename\tType\tSize\tUsed\tPriority\n/swap file 10 2 -2\n",
		}[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}
	withFakes(t, map[string]string{"blkid": "exit 2"})
	fstab := filepath.Join(t.TempDir(), "fstab")
	if err := os.WriteFile(fstab, []byte("# c\n/dev/a / ext4 defaults,ro 0 1\n/dev/b none swap sw\n/dev/c none swap sw 0 0\nbad\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	type m = map[string]any
	calls(t, newEnv(), []callCase{
		{"mount.active", nil, m{
			"/proc":   m{"device": "proc", "alt_device": "proc", "fstype": "proc", "opts": []any{"rw", "relatime"}},
			`/a\040b`: m{"device": "/dev/vdb", "alt_device": "/dev/vdb", "fstype": "ext4", "opts": []any{"ro", `lowerdir=/x\ y`}},
		}},
		{"mount.active", []any{true}, m{"/proc": m{
			"mountid": "22", "parentid": "27", "major": "0", "minor": "21", "root": "/", "opts": []any{"rw", "relatime"}, "fstype": "proc", "device": "proc",
			"alt_device": "proc", "superopts": []any{"rw"}, "device_uuid": nil, "device_label": nil,
		}}},
		{"mount.is_mounted", []any{"/proc"}, true},
		{"mount.is_mounted", []any{"/nope"}, false},
		{"mount.swaps", nil, m{"/swap": m{"type": "file", "size": "10", "used": "2", "priority": "-2"}}},
		{"mount.fstab", []any{fstab}, m{
			"/":     m{"device": "/dev/a", "fstype": "ext4", "opts": []any{"defaults", "ro"}, "dump": "0", "pass": "1"},
			"none":  m{"device": "/dev/b", "fstype": "swap", "opts": []any{"sw"}, "dump": "0", "pass": "0"},
			"none_": m{"device": "/dev/c", "fstype": "swap", "opts": []any{"sw"}, "dump": "0", "pass": "0"},
		}},
		{"mount.fstab", []any{"/no/such"}, m{}},
	})
}
