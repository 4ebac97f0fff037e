package gitrepo

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/momtree/mom/master/gitrepo/gitrepotest"
)

// TestHTTPS: an untrusted certificate is refused unless ssl_verify: False is set; a password is
// only sent to the server it is for.
func TestHTTPS(t *testing.T) {
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{"a": "one"})
	web := gitrepotest.Serve(true, map[string]*gitrepotest.Repo{"r": from})
	defer web.Close()
	leaked := ""
	other := gitrepotest.Serve(true, map[string]*gitrepotest.Repo{"r": from})
	defer other.Close()
	other.Around = func(_ http.ResponseWriter, q *http.Request) bool {
		if _, pass, ok := q.BasicAuth(); ok {
			leaked = pass
		}
		return false
	}
	web.Around = func(w http.ResponseWriter, q *http.Request) bool {
		user, pass, _ := q.BasicAuth()
		switch {
		case user != "joe" || pass != "hush":
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
		case strings.HasPrefix(q.URL.Path, "/away"):
			http.Redirect(w, q, other.URL+"/r/info/refs?service=git-upload-pack", http.StatusFound)
		default:
			return false
		}
		return true
	}
	for _, c := range []struct {
		path string
		auth Auth
		ok   bool
	}{
		{"/r", Auth{User: "joe", Password: "hush"}, false},
		{"/r", Auth{User: "joe", Password: "other", AnyCert: true}, false},
		{"/r", Auth{AnyCert: true}, false},
		{"/r", Auth{User: "joe", Password: "hush", AnyCert: true}, true},
	} {
		r := open(t, Options{URL: web.URL + c.path, Auth: c.auth})
		if _, err := r.Fetch(t.Context()); (err == nil) != c.ok || err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	r := open(t, Options{URL: web.URL + "/away", Auth: Auth{User: "joe", Password: "hush", AnyCert: true}})
	_, _ = r.Fetch(t.Context())
	if leaked != "" {
		t.Error("another server received the password")
	}
}

func keyPair(t *testing.T) (ssh.Signer, string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte("open"))
	if err != nil {
		t.Fatal(err)
	}
	return s, string(pem.EncodeToMemory(block))
}

// sshServer accepts connections with a key and serves a repository; with silent it sends nothing.
func sshServer(t *testing.T, host ssh.Signer, allowed ssh.PublicKey, r *gitrepotest.Repo, silent bool) string {
	t.Helper()
	c := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
		if string(k.Marshal()) != string(allowed.Marshal()) {
			return nil, errors.New("another key")
		}
		return nil, nil
	}}
	c.AddHostKey(host)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if silent {
				_, _ = io.Copy(io.Discard, conn)
			} else {
				_ = speakSSH(conn, c, r)
			}
			_ = conn.Close()
		}
	}()
	return l.Addr().String()
}

func speakSSH(conn net.Conn, c *ssh.ServerConfig, r *gitrepotest.Repo) error {
	_, chans, reqs, err := ssh.NewServerConn(conn, c)
	if err != nil {
		return err
	}
	go ssh.DiscardRequests(reqs)
	for n := range chans {
		ch, in, err := n.Accept()
		if err != nil {
			return err
		}
		q := <-in
		if q.Type != "exec" || string(q.Payload[4:]) != `git-upload-pack '/it'\''s/r'` {
			return fmt.Errorf("%s %q", q.Type, q.Payload)
		}
		_ = q.Reply(true, nil)
		go ssh.DiscardRequests(in)
		err = upload(ch, r)
		_ = ch.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func upload(ch io.ReadWriter, r *gitrepotest.Repo) error {
	session, err := gitrepotest.Session(r)
	if err != nil {
		return err
	}
	refs, err := session.AdvertisedReferences()
	if err != nil {
		return err
	}
	if err := refs.Encode(ch); err != nil {
		return err
	}
	q := packp.NewUploadPackRequest()
	if err := q.UploadRequest.Decode(ch); err != nil {
		return err
	}
	s := pktline.NewScanner(ch)
	for s.Scan() && !strings.HasPrefix(string(s.Bytes()), "done") {
		if hex, ok := strings.CutPrefix(strings.TrimSpace(string(s.Bytes())), "have "); ok {
			q.Haves = append(q.Haves, plumbing.NewHash(hex))
		}
	}
	a, err := session.UploadPack(context.Background(), q)
	if err != nil {
		return err
	}
	return a.Encode(ch)
}

// TestSSH: authentication with privkey, and a known host key. An unknown host key, a refused key
// and a silent server are errors.
func TestSSH(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	host, _ := keyPair(t)
	evil, _ := keyPair(t)
	mine, text := keyPair(t)
	stranger, _ := keyPair(t)
	key, pub, wrong := filepath.Join(home, "key"), filepath.Join(home, "key.pub"), filepath.Join(home, "wrong.pub")
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(key, text)
	write(pub, string(ssh.MarshalAuthorizedKey(mine.PublicKey())))
	write(wrong, string(ssh.MarshalAuthorizedKey(stranger.PublicKey())))
	from := gitrepotest.New(t, t.TempDir())
	from.Commit("main", gitrepotest.Files{"a": "one"})
	good := sshServer(t, host, mine.PublicKey(), from, false)
	forged := sshServer(t, evil, mine.PublicKey(), from, false)
	closed := sshServer(t, host, stranger.PublicKey(), from, false)
	silent := sshServer(t, host, mine.PublicKey(), from, true)
	auth := Auth{Privkey: key, Pubkey: pub, Passphrase: "open"}
	fetch := func(addr string) (*Repo, error) {
		var l Limits
		if addr == silent {
			l.Idle = 200 * time.Millisecond
		}
		r := open(t, Options{URL: "ssh://git@" + addr + "/it's/r", Auth: auth, Limits: l})
		_, err := r.Fetch(t.Context())
		return r, err
	}
	if _, err := fetch(good); err == nil || !strings.Contains(err.Error(), "known_hosts") {
		t.Errorf("no host is known: %v", err)
	}
	hosts := ""
	for _, addr := range []string{good, forged, closed, silent} {
		hosts += knownhosts.Line([]string{addr}, host.PublicKey()) + "\n"
	}
	write(filepath.Join(home, ".ssh", "known_hosts"), hosts)
	r, err := fetch(good)
	if err != nil || read(t, r, "main", "a") != "one" {
		t.Fatal(err)
	}
	from.Commit("main", gitrepotest.Files{"a": "two"})
	if changed, err := r.Fetch(t.Context()); err != nil || !changed || read(t, r, "main", "a") != "two" {
		t.Errorf("%v, %v", changed, err)
	}
	if _, err := fetch(forged); err == nil || !strings.Contains(err.Error(), "mismatch") {
		t.Errorf("a forged host: %v", err)
	}
	if _, err := fetch(closed); err == nil {
		t.Error("a key that is not taken")
	}
	if _, err := fetch(silent); !errors.Is(err, errSilent) {
		t.Errorf("a silent server: %v", err)
	}
	for _, a := range []Auth{{Privkey: key}, {Privkey: key, Passphrase: "open", Pubkey: wrong}} {
		if _, err := Open(Options{Dir: t.TempDir(), URL: "ssh://git@" + good + "/x", Auth: a, Log: quiet}); err == nil {
			t.Errorf("%+v is taken", a)
		}
	}
}
