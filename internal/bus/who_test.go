package bus

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const dialEnv = "BUS_TEST_DIAL"

// playDial connects to the bus in a directory and prints the error.
func playDial() bool {
	dir := os.Getenv(dialEnv)
	if dir == "" {
		return false
	}
	_, err := Dial(context.Background(), ClientConfig{SockDir: dir})
	fmt.Println(err)
	return true
}

// TestDial_WithoutRights: the error for a user without access to the socket, or to a directory
// above it, names the path, the group and what to do; it does not say that the master may not
// run. Root has all rights, so as root the test uses another user.
func TestDial_WithoutRights(t *testing.T) {
	dir := sockDir(t)
	b := New(clock)
	defer b.Close()
	serve(t, b, ServerConfig{SockDir: dir})
	program := filepath.Join(filepath.Dir(dir), filepath.Base(dir)+"-dial")
	copyFile(t, "/proc/self/exe", program)
	t.Cleanup(func() { _ = os.Remove(program) })
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	sock := filepath.Join(dir, MasterPubName)
	for _, c := range []struct {
		dir, sock os.FileMode
		want      []string
	}{
		{0o755, 0o660, []string{"permission denied", "is not in the group", sock, "mode 0660", "chgrp GROUP " + dir, "users.md"}},
		{0o700, 0o660, []string{"permission denied", "may not enter the folder " + dir + ":", "chgrp", "users.md"}},
	} {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), dialEnv+"="+dir)
		mode := [2]os.FileMode{c.dir, c.sock}
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		} else { // drop our own rights
			mode[0], mode[1] = c.dir&^0o100|0o600, 0
			if c.dir == 0o755 {
				mode[0] = c.dir
			}
			c.want[0] = "permission denied"
		}
		if err := os.Chmod(sock, mode[1]); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode[0]); err != nil {
			t.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		if cerr := os.Chmod(dir, 0o755); err != nil || cerr != nil {
			t.Fatalf("%v %v %s", err, cerr, out)
		}
		for _, want := range c.want {
			if os.Getuid() != 0 {
				want = strings.ReplaceAll(want, "mode 0660", "mode 0000")
			}
			if !strings.Contains(string(out), want) {
				t.Errorf("%q is not in %s", want, out)
			}
		}
		if strings.Contains(string(out), "is the master running") {
			t.Errorf("it runs: %s", out)
		}
	}
}
