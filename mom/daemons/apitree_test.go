package daemons

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/mom/momtest"
)

// apiTree is a tree whose top serves the API in its own process, by TLS, and the login that
// may do everything there.
type apiTree struct {
	*momtest.Tree
	addr, url, ca string
	login         []string // options of a command from afar
}

// apiUsers are the users of such a tree: ann may do everything, bob no more than test.ping.
const apiUsers = "ann:secret-of-ann\nbob:secret-of-bob\n"

func growAPITree(t *testing.T, drawing string) apiTree {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	dir := t.TempDir()
	a := apiTree{addr: freeAddr(t), ca: certificate(t, dir)}
	a.url = "https://" + a.addr
	users, pass := filepath.Join(dir, "users"), filepath.Join(dir, "pass")
	for file, text := range map[string]string{users: apiUsers, pass: "secret-of-ann\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a.login = []string{"--api", a.url, "--api-ca", a.ca, "--auth", "file", "--username", "ann", "--password-file", pass}
	a.Tree = momtest.Own(t, drawing, func(g *localcluster.Cluster) {
		appendTo(t, filepath.Join(g.Top().ConfDir, "master"), fmt.Sprintf(
			"api: True\nlog_level: info\nexternal_auth:\n  file:\n    ^filename: %s\n    ann: ['.*', '@runner', '@wheel', '@jobs']\n    bob: [test.ping]\n%s",
			users, apiSection(a.addr, dir)))
	})
	return a
}

// apiSection is a listener with the certificate of a folder.
func apiSection(addr, dir string) string {
	_, port, _ := net.SplitHostPort(addr)
	return fmt.Sprintf("netapi_enable_clients: [local, local_async, local_batch, local_subset, runner, runner_async, wheel, wheel_async]\n"+
		"rest_cherrypy:\n  host: 127.0.0.1\n  port: %s\n  ssl_crt: %s\n  ssl_key: %s\n", port, filepath.Join(dir, "api.crt"), filepath.Join(dir, "api.key"))
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err != nil || e != nil {
		t.Fatal(err, e)
	}
}

// certificate makes one for 127.0.0.1, which is its own authority.
func certificate(t *testing.T, dir string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "api of a test"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{"api.crt": {Type: "CERTIFICATE", Bytes: der}, "api.key": {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "api.crt")
}
