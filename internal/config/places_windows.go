package config

import (
	"cmp"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/windows/registry"
)

// saltRoot returns the folder that Salt's minion has on Windows: the one that its installer
// wrote to the registry, else C:\salt if it has a configuration, else C:\ProgramData\Salt
// Project\Salt.
var saltRoot = sync.OnceValue(func() string {
	if k, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Salt Project\salt`, registry.QUERY_VALUE); err == nil {
		dir, _, err := k.GetStringValue("root_dir")
		_ = k.Close()
		if full, expandErr := registry.ExpandString(dir); err == nil && expandErr == nil && full != "" {
			return filepath.Clean(full)
		}
	}
	old := filepath.Join(cmp.Or(os.Getenv("SystemDrive"), "C:")+`\`, "salt")
	if st, err := os.Stat(filepath.Join(old, "conf")); err == nil && st.IsDir() {
		return old
	}
	return filepath.Join(cmp.Or(os.Getenv("ProgramData"), `C:\ProgramData`), "Salt Project", "Salt")
})

// DefaultDir returns the directory of the configuration: Salt's own.
func DefaultDir() string { return filepath.Join(saltRoot(), "conf") }

// SystemDefault returns a default of this system for the one of Unix: a path has its place below
// the folder of Salt, and local sockets are ports.
func SystemDefault(def string) string {
	switch {
	case def == "ipc":
		return "tcp"
	case def == "/":
		return saltRoot()
	case def == "/etc/salt" || strings.HasPrefix(def, "/etc/salt/"):
		return filepath.Join(DefaultDir(), strings.TrimPrefix(def, "/etc/salt"))
	case strings.HasPrefix(def, "/var/cache/salt"), strings.HasPrefix(def, "/var/log/"), strings.HasPrefix(def, "/var/run/"), strings.HasPrefix(def, "/srv/"):
		return filepath.Join(saltRoot(), def)
	}
	return def
}

// placeUnder places a path below a root, as Salt does on Windows: a path below the folder of Salt
// moves to the root, a path with another drive stays.
func placeUnder(root, path string) string {
	path = filepath.Clean(path)
	if hasFolder(path, root) {
		return path
	}
	if def := saltRoot(); hasFolder(path, def) {
		return filepath.Join(root, path[len(def):])
	}
	if filepath.VolumeName(path) != "" {
		return path
	}
	return filepath.Join(root, path)
}

// hasFolder reports whether a path is below a folder. Windows ignores the case of names.
func hasFolder(path, dir string) bool {
	return len(path) > len(dir) && strings.EqualFold(path[:len(dir)], dir) && os.IsPathSeparator(path[len(dir)])
}

// currentUser returns the name of the user who runs this process, without the domain.
func currentUser() string {
	name := os.Getenv("USERNAME")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	return name[strings.LastIndexByte(name, '\\')+1:]
}
