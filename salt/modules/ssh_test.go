package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const someKey = "AAAAC3NzaC1lZDI1NTE5AAAAIGVjaG8="

// sshHome adds a user with a home folder, as getent reports it.
func sshHome(t *testing.T) string {
	f := withFakes(t, map[string]string{"getent": `[ "$3" = momkeys ] && cat $here/passwd`})
	home := t.TempDir()
	f.put("passwd", "momkeys:x:"+PyStr(os.Geteuid())+":"+PyStr(os.Getegid())+"::"+home+":/bin/sh\n")
	return home
}

func TestSSH_Keys(t *testing.T) {
	home := sshHome(t)
	file := filepath.Join(home, ".ssh/authorized_keys")
	calls(t, newEnv(), []callCase{
		{"ssh.auth_keys", []any{"momkeys"}, m{}},
		{"ssh.check_key", []any{"momkeys", someKey, "ed25519", "me", nil}, "add"},
		{"ssh.set_auth_key", []any{"momkeys", someKey, "ed25519", "me at home"}, "new"},
		{"ssh.set_auth_key", []any{"momkeys", someKey, "ed25519", "me at home"}, "no change"},
		{"ssh.check_key", []any{"momkeys", someKey, "ed25519", "other", nil}, "update"},
		{"ssh.set_auth_key", []any{"momkeys", someKey, "ed25519", "other", []any{"no-pty", "from=\"x\""}}, "replace"},
		{"ssh.set_auth_key", []any{"momkeys", "two words"}, "invalid"},
		{"ssh.set_auth_key", []any{"momkeys", "n*t"}, "Invalid public key"},
		{"ssh.set_auth_key", []any{"nobody-here", someKey}, "fail"},
		{"ssh.set_auth_key", []any{"momkeys", someKey, "odd"}, "ERROR: Incorrect encryption key type 'odd'."},
		{"ssh.auth_keys", []any{"momkeys", "fingerprint_hash_type=md5"}, m{someKey: m{
			"enc": "ssh-ed25519", "comment": "other", "options": []any{"no-pty", "from=\"x\""}, "fingerprint": "94:4d:01:41:32:3c:96:7a:ea:af:29:b1:ee:7d:a9:d6",
		}}},
	})
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st, err)
	}
	if r := run(t, newEnv(), "ssh.set_auth_key", "momkeys", someKey, "ed25519", "x\nssh-rsa AAAA evil"); r.Success {
		t.Errorf("a comment of two lines: %v", r.Value)
	}
	if err := os.WriteFile(file, []byte("# note\n\nssh-rsa QUJD a\nno-pty ssh-ed25519 "+someKey+" b\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	calls(t, newEnv(), []callCase{
		{"ssh.rm_auth_key", []any{"momkeys", someKey}, "Key removed"},
		{"ssh.rm_auth_key", []any{"momkeys", someKey}, "Key not present"},
	})
	if data, err := os.ReadFile(file); err != nil || string(data) != "# note\nssh-rsa QUJD a\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// A link in the home folder does not make the minion write elsewhere.
func TestSSH_LinksStayAtHome(t *testing.T) {
	home, elsewhere := sshHome(t), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(home, ".ssh")); err != nil {
		t.Fatal(err)
	}
	if r := run(t, newEnv(), "ssh.set_auth_key", "momkeys", someKey, "ed25519"); r.Success && r.Value == "new" {
		t.Errorf("%v", r.Value)
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("written elsewhere: %v, %v", left, err)
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add([]byte("no-pty ssh-rsa QUJD c d\n# x\n\nsk-ssh-ed25519@openssh.com QUJD"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := parseKeys(data, "sha256")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			if l.isKey && strings.ContainsAny(l.key, " \n") {
				t.Errorf("%q", l.key)
			}
		}
	})
}
