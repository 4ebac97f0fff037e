package mysql

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/mysql/mysqltest"
)

func TestOptionsFrom(t *testing.T) {
	defaults := Options{Host: "salt", Port: 3306, User: "salt", Pass: "salt", DB: "salt"}
	with := func(f func(*Options)) Options { o := defaults; f(&o); return o }
	for _, c := range []struct {
		name   string
		values map[string]any
		prefix string
		want   Options
	}{
		{"defaults", nil, "", defaults},
		{
			"flat",
			map[string]any{"mysql.host": "db", "mysql.port": 3307, "mysql.pass": 1234, "archive_jobs": true},
			"",
			with(func(o *Options) { o.Host, o.Port, o.Pass, o.ArchiveJobs = "db", 3307, "1234", true }),
		},
		{"map", map[string]any{"mysql": map[string]any{"host": "db", "port": "3307"}}, "", with(func(o *Options) { o.Host, o.Port = "db", 3307 })},
		{"None of Salt's manual", map[string]any{"mysql.ssl_ca": "None", "mysql.host": nil}, "", defaults},
		{
			"alternative",
			map[string]any{"mysql.host": "db", "mysql.user": "u", "alternative.mysql.host": "other"},
			"alternative",
			with(func(o *Options) { o.Host, o.User = "other", "u" }),
		},
		{"alternative as map", map[string]any{"alternative": map[string]any{"mysql": map[string]any{"db": "x"}}}, "alternative", with(func(o *Options) { o.DB = "x" })},
	} {
		got, err := OptionsFrom(c.values, c.prefix)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
	_, err := OptionsFrom(map[string]any{"mysql.port": "x", "mysql.host": []any{}, "archive_jobs": "maybe"}, "")
	for _, name := range []string{"mysql.port", "mysql.host", "archive_jobs"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"65535":                      {Port: 70000},
		"belong together":            {SSLCert: "c"},
		"mysql.ssl_ca":               {SSLCA: "/does/not/exist"},
		"not hold a PEM certificate": {SSLCA: junk},
		"ssl_cert and mysql.ssl_":    {SSLCert: junk, SSLKey: junk},
	} {
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A database that is down does not prevent opening; its error says what to do.
func TestDatabaseAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil { // no server listens there now
		t.Fatal(err)
	}
	st, err := Open(t.Context(), Options{Host: "127.0.0.1", Port: port, Pass: "secret", Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	err = st.Ping(t.Context())
	if !errors.Is(err, returners.ErrUnavailable) || returners.Class(err) != returners.ClassConnection || !strings.Contains(err.Error(), "127.0.0.1") || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

// pki writes a certificate authority, and a server certificate for 127.0.0.1.
func pki(t *testing.T) (ca, cert, key string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	issue := func(serial int64, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, []byte) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		c := &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "mom test " + strconv.FormatInt(serial, 10)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: parent == nil, BasicConstraintsValid: true,
			KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		}
		if parent == nil {
			parent, parentKey = c, key
		}
		der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), parentKey)
		if err != nil {
			t.Fatal(err)
		}
		return c, key, der
	}
	root, rootKey, rootDER := issue(1, nil, nil)
	_, leafKey, leafDER := issue(2, root, rootKey)
	keyDER, err := x509.MarshalECPrivateKey(leafKey)
	if err != nil {
		t.Fatal(err)
	}
	return write("ca.pem", "CERTIFICATE", rootDER), write("cert.pem", "CERTIFICATE", leafDER), write("key.pem", "EC PRIVATE KEY", keyDER)
}

func TestTLS(t *testing.T) {
	ca, cert, key := pki(t)
	s := mysqltest.Start(t, "--ssl-ca="+ca, "--ssl-cert="+cert, "--ssl-key="+key)
	name := s.Database(t)
	s.Exec(t, "", "CREATE USER salt@'127.0.0.1' IDENTIFIED BY 'p w' REQUIRE X509; GRANT ALL ON "+name+".* TO salt@'127.0.0.1'")
	tcp := func(o *Options) {
		o.UnixSocket, o.Host, o.Port, o.User, o.Pass = "", "127.0.0.1", s.Port, "salt", "p w"
	}
	if err := open(t, s, name, tcp, func(o *Options) { o.SSLCA, o.SSLCert, o.SSLKey = ca, cert, key }).Ping(t.Context()); err != nil {
		t.Errorf("with a client certificate: %v", err)
	}
	if err := open(t, s, name, tcp, func(o *Options) { o.SSLCA = ca }).Ping(t.Context()); returners.Class(err) != returners.ClassAccess {
		t.Errorf("without one: %v", err)
	}
	other, _, _ := pki(t)
	if err := open(t, s, name, tcp, func(o *Options) { o.SSLCA, o.SSLCert, o.SSLKey = other, cert, key }).Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a server of another authority: %v", err)
	}
}
