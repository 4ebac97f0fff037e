package remote

import (
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/momtree/mom/client"
)

// A server with an invalid certificate receives no request.
func TestCertificates(t *testing.T) {
	heard := 0
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		heard++
		_, _ = w.Write([]byte(`{"alive": true}`))
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(o Options) error {
		t.Helper()
		c, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		return c.With(testToken).Ping(t.Context())
	}
	if err := ask(Options{URL: srv.URL}); !errors.Is(err, client.ErrUnreachable) || !strings.Contains(err.Error(), "--api-ca") || errors.Is(err, errLost) || heard != 0 {
		t.Errorf("an unknown authority: %v, heard %d", err, heard)
	}
	other := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1) // the certificate is not for that name
	if err := ask(Options{URL: other, CA: ca}); !errors.Is(err, client.ErrUnreachable) || errors.Is(err, errLost) || heard != 0 {
		t.Errorf("the certificate of another: %v, heard %d", err, heard)
	}
	if err := ask(Options{URL: srv.URL, CA: ca}); err != nil || heard != 1 {
		t.Errorf("%v, heard %d", err, heard)
	}
	if err := ask(Options{URL: other, Insecure: true}); err != nil || heard != 2 {
		t.Errorf("insecure: %v, heard %d", err, heard)
	}
}
