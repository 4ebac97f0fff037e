package redis

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/redis/redistest"
)

func TestOptionsFrom(t *testing.T) {
	got, err := OptionsFrom(map[string]any{
		"redis.host": "db", "redis": map[string]any{"host": "no", "port": int64(7000), "password": int64(123)}, "redis.db": "2",
		"alt.redis.host": "other", "keep_jobs_seconds": int64(60),
		"redis.cluster.startup_nodes": []any{map[string]any{"host": "a", "port": int64(1)}, map[string]any{"host": "::1"}},
	}, "")
	want := Options{Host: "db", Port: 7000, DB: 2, Password: "123", Keep: time.Minute}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Options{}, "Log", "Now")); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	got, err = OptionsFrom(map[string]any{
		"alt.redis.host": "other", "redis.cluster_mode": true,
		"redis.cluster.startup_nodes": []any{map[string]any{"host": "a", "port": int64(1)}, map[string]any{"host": "::1"}},
	}, "alt")
	if err != nil || got.Host != "other" || !cmp.Equal(got.Nodes, []string{"a:1", "[::1]:6379"}) || got.where() != "cluster of a:1, [::1]:6379" {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = OptionsFrom(nil, "")
	if err != nil || got.Host != "salt" || got.Port != 6379 || got.Keep != 24*time.Hour {
		t.Errorf("defaults: %+v, %v", got, err)
	}
}

func TestRefusedOptions(t *testing.T) {
	for want, values := range map[string]map[string]any{
		"redis.port must be a number":                 {"redis.port": "x"},
		"redis.port is 70000":                         {"redis.port": 70000},
		"redis.db is 3; use 0 or above, in a cluster": {"redis.db": 3, "redis.cluster_mode": true, "redis.cluster.startup_nodes": []any{map[string]any{"host": "a"}}},
		"must list the host and port":                 {"redis.cluster_mode": true},
		"entry 1 must have host and port":             {"redis.cluster_mode": true, "redis.cluster.startup_nodes": []any{"a:1"}},
		"belong together":                             {"redis.ssl_cert": "/x"},
		"redis.ssl_ca: open /nonexistent":             {"redis.ssl_ca": "/nonexistent"},
		"keep_jobs_seconds must be a number":          {"keep_jobs_seconds": "x"},
	} {
		_, err := returners.OpenStore(t.Context(), Name, returners.Options{Values: values})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "redis returner: ") {
			t.Errorf("%v: %v, want %q", values, err, want)
		}
		if err := returners.Check(Name, true, returners.Options{Values: values}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: the check says %v, want %q", values, err, want)
		}
	}
	if err := returners.Check(Name, true, returners.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := returners.OpenEvents(t.Context(), Name, returners.Options{}); err == nil {
		t.Error("it is taken for events")
	}
}

// certificate writes a certificate for 127.0.0.1 that is its own authority, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	must(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	must(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	must(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

// With TLS the server's certificate counts, and the client has one of its own.
func TestTLS(t *testing.T) {
	cert, key := certificate(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	must(t, l.Close())
	redistest.Start(t, "--bind", "127.0.0.1", "--tls-port", strconv.Itoa(port), "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", "yes")
	for _, c := range []struct {
		change func(*Options)
		works  bool
	}{
		{func(o *Options) { o.SSLCA, o.SSLCert, o.SSLKey = cert, cert, key }, true},
		{func(o *Options) { o.SSLCA, o.SSLCert, o.SSLKey, o.Host = cert, cert, key, "localhost" }, false}, // not in the certificate
		{func(o *Options) { o.SSL, o.SSLCert, o.SSLKey = true, cert, key }, false},                        // an unknown authority
		{func(o *Options) { o.SSLCA = cert }, false},                                                      // no certificate of the client
		{func(*Options) {}, false},
	} {
		o := Options{Host: "127.0.0.1", Port: port, Timeout: 5 * time.Second}
		c.change(&o)
		s, err := Open(t.Context(), o)
		must(t, err)
		if err := s.Ping(t.Context()); (err == nil) != c.works {
			t.Errorf("%+v: %v", o, err)
		}
		must(t, s.Close())
	}
}
