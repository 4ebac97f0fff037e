package bus

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// peerSalt finds the Salt that a connected process runs, from the files of its installation. It
// returns the zero value for other programs and for unreadable files.
func peerSalt(c net.Conn) (salt installation) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return salt
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return salt
	}
	var cred *syscall.Ucred
	var cerr error
	err = raw.Control(func(fd uintptr) {
		cred, cerr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err != nil || cerr != nil || cred.Pid <= 0 {
		return salt
	}
	return saltOf("/proc/" + strconv.Itoa(int(cred.Pid)))
}

// saltOf finds the installation of the process described in a directory of /proc: beside its
// interpreter, beside its script, and in its PYTHONPATH, all as seen by that process, which may
// run in a container.
func saltOf(proc string) (salt installation) {
	exe, err := os.Readlink(filepath.Join(proc, "exe"))
	if own, oerr := os.Executable(); err != nil || oerr == nil && own == exe {
		return salt // not readable, or one of our processes
	}
	root := filepath.Join(proc, "root")
	var packages []string
	seen := map[string]bool{}
	look := func(program string) {
		if !filepath.IsAbs(program) {
			return
		}
		prefix := filepath.Dir(filepath.Dir(filepath.Clean(program)))
		if seen[prefix] {
			return
		}
		seen[prefix] = true
		for _, lib := range []string{"lib", "lib64", "local/lib"} {
			for _, kind := range []string{"site-packages", "dist-packages"} {
				found, _ := filepath.Glob(filepath.Join(root, prefix, lib, "python3*", kind)) // the pattern is valid
				packages = append(packages, found...)
			}
		}
	}
	for i, word := range nulls(filepath.Join(proc, "cmdline")) {
		if i < 2 { // the interpreter, and the script
			look(word)
		}
	}
	look(exe)
	for _, v := range nulls(filepath.Join(proc, "environ")) {
		if paths, ok := strings.CutPrefix(v, "PYTHONPATH="); ok {
			for p := range strings.SplitSeq(paths, ":") {
				if filepath.IsAbs(p) {
					packages = append([]string{filepath.Join(root, p)}, packages...)
				}
			}
		}
	}
	for _, dir := range packages {
		if salt = installed(dir); salt.known() {
			return salt
		}
	}
	return salt
}

// installed examines the package salt in a directory of Python packages.
func installed(dir string) installation {
	salt := installation{version: versionIn(dir)}
	for file, length := range map[string]*bool{"ipc.py": &salt.ipcLength, "tcp.py": &salt.tcpLength} {
		if b := readSmall(filepath.Join(dir, "salt", "transport", file), maxSource); b != nil {
			salt.sources = true
			*length = bytes.Contains(b, []byte(`unpack(">I"`))
		}
	}
	return salt
}

// versionIn reads the version of the package salt in a directory of Python packages.
func versionIn(dir string) string {
	if b := readSmall(filepath.Join(dir, "salt", "_version.txt"), maxSmall); b != nil {
		return strings.TrimSpace(string(b))
	}
	for _, kind := range []string{".dist-info", ".egg-info"} {
		found, _ := filepath.Glob(filepath.Join(dir, "salt-[0-9]*"+kind)) // the pattern is valid
		if len(found) > 0 {
			return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found[0]), "salt-"), kind)
		}
	}
	return ""
}

// nulls reads a file of /proc whose fields end with NUL.
func nulls(path string) []string {
	var out []string
	for w := range bytes.SplitSeq(readSmall(path, maxSmall), []byte{0}) {
		out = append(out, string(w))
	}
	return out
}

// Bytes that are read of a file that another process has chosen: of a source, and of others.
const (
	maxSource = 1 << 20
	maxSmall  = 64 << 10
)

// readSmall reads the beginning of a regular file. It returns nil if the file does not exist, and
// never blocks, even on a pipe.
func readSmall(path string, most int64) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	b, _ := io.ReadAll(io.LimitReader(f, most)) // the readable part
	return b
}
