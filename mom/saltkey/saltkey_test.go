package saltkey

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/mom/momtest"
)

// testKey is one key pair for all tests: what is tested is where it lies.
var testKey = sync.OnceValues(func() (*crypt.KeyPair, error) { return crypt.NewKeyPair(2048) })

// keyFolders makes a master's folder with keys in all states and gives the folder
// for -c.
func keyFolders(t *testing.T, extra string) (root, conf string) {
	t.Helper()
	pair, err := testKey()
	if err != nil {
		t.Fatal(err)
	}
	root = t.TempDir()
	files := map[string]string{"conf/master": "id: m\nroot_dir: " + root + "\n" + extra}
	for folder, ids := range map[string]string{
		"minions": "b-1 b-2", "minions_pre": "a-1 a-2", "minions_rejected": "c-1 c-2", "minions_denied": "d-1", "minions_autosign": "",
	} {
		dir := "etc/salt/pki/master/" + folder
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, id := range strings.Fields(ids) {
			files[dir+"/"+id] = pair.PublicPEM
		}
	}
	files["etc/salt/pki/master/master.pub"] = pair.PublicPEM
	files["var/cache/salt/master/minions/b-1/data.p"] = "\x80"
	files["var/cache/salt/master/minions/b-2/data.p"] = "\x80"
	layOut(t, root, files)
	return root, filepath.Join(root, "conf")
}

func layOut(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	fingerprints = regexp.MustCompile(`([0-9a-f]{2}:){31}[0-9a-f]{2}`)
	base64Lines  = regexp.MustCompile(`(?m)^[A-Za-z0-9+/=]{8,64}\n`)
	base64Text   = regexp.MustCompile(`KEY-----\\n.*\\n-----END`)
)

// TestSaltKey plays testdata/salt-key: transcripts of Salt's command, with the exit
// codes and channels of this one.
//
//	keys                     the start state: a pending, b accepted, c rejected, d denied
//	run [stdin=TEXT]         a command line; the folder of the configuration is added
//	ls                       the files below a folder, with their modes
func TestSaltKey(t *testing.T) {
	var root, conf string
	datadriven.RunTest(t, "testdata/salt-key", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "keys":
			root, conf = keyFolders(t, "")
			return ""
		case "ls":
			return listing(t, filepath.Join(root, d.CmdArgs[0].Key))
		}
		stdin := ""
		for _, a := range d.CmdArgs {
			if a.Key == "stdin" {
				stdin = strings.Join(a.Vals, "") + "\n"
			}
		}
		words := strings.Fields(strings.ReplaceAll(d.Input, "ROOT", root))
		for i, w := range words {
			words[i] = strings.Trim(w, "'")
		}
		r := momtest.Run(Command(), stdin, append([]string{"-c", conf}, words[1:]...)...)
		text := r.Out
		if r.Err != "" {
			text += "--stderr--\n" + r.Err
		}
		text = strings.ReplaceAll(text, root, "ROOT")
		text = fingerprints.ReplaceAllString(text, "FINGERPRINT")
		text = base64Lines.ReplaceAllString(text, "")
		text = base64Text.ReplaceAllString(text, `KEY-----\nBASE64\n-----END`)
		return strings.ReplaceAll(fmt.Sprintf("%s--exit %d--\n", text, r.Code), "\x1b", "^[")
	})
}

func listing(t *testing.T, root string) string {
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			rel, _ := filepath.Rel(root, path)
			fmt.Fprintf(&b, "%s %s\n", info.Mode(), rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
