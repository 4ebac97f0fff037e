package modules

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// whichIn returns the full path of a program: a name without an ending gets those of PATHEXT.
func whichIn(name, path string) string {
	if name == "" {
		return ""
	}
	if strings.ContainsAny(name, `\/`) {
		return withEnding(name)
	}
	for _, dir := range append(filepath.SplitList(path), systemFolders()...) {
		if dir == "" {
			continue
		}
		if p := withEnding(filepath.Join(dir, name)); p != "" {
			return p
		}
	}
	return ""
}

// systemFolders are searched after PATH, since a service may run without PATH.
func systemFolders() []string {
	root := cmp.Or(os.Getenv("SystemRoot"), `C:\Windows`)
	return []string{root + `\system32`, root, root + `\system32\WindowsPowerShell\v1.0`}
}

// endings are the endings of programs.
func endings() []string {
	return strings.Split(strings.ToLower(cmp.Or(os.Getenv("PATHEXT"), ".COM;.EXE;.BAT;.CMD")), ";")
}

func withEnding(path string) string {
	if executable(path) {
		return path
	}
	for _, ext := range endings() {
		if ext != "" && executable(path+ext) {
			return path + ext
		}
	}
	return ""
}

// executable reports whether a file is a program by its ending.
func executable(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && slices.Contains(endings(), strings.ToLower(filepath.Ext(path)))
}
