package listener

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Certificates is the certificate of a listener. Its files are read again when they change. It is
// safe for concurrent use.
type Certificates struct {
	files []string // certificate, key and optionally chain
	now   func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	cert    *tls.Certificate
	stamp   string    // sizes and times of the files that cert was read from
	checked time.Time // when the files were last checked
}

// CheckInterval is the least time between two checks of the files.
const CheckInterval = 5 * time.Second

// ReadCertificates reads files in PEM: the certificate, its key, and the certificates between it
// and the authority, if chain is not "".
func ReadCertificates(cert, key, chain string, now func() time.Time, log *slog.Logger) (*Certificates, error) {
	c := &Certificates{files: []string{cert, key}, now: now, log: log}
	if chain != "" {
		c.files = append(c.files, chain)
	}
	stamp, err := c.stat()
	if err != nil {
		return nil, err
	}
	if c.cert, err = c.read(); err != nil {
		return nil, err
	}
	c.stamp, c.checked = stamp, now()
	return c, nil
}

// stat returns a text that changes with the files.
func (c *Certificates) stat() (string, error) {
	var b bytes.Buffer
	for _, f := range c.files {
		info, err := os.Stat(f)
		if err != nil {
			return "", fmt.Errorf("stat certificate: %w", err)
		}
		fmt.Fprintf(&b, "%s %d %d\n", f, info.Size(), info.ModTime().UnixNano())
	}
	return b.String(), nil
}

func (c *Certificates) read() (*tls.Certificate, error) {
	var parts [3][]byte
	for i, f := range c.files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read certificate: %w", err)
		}
		parts[i] = b
	}
	pem := parts[0]
	if len(parts[2]) > 0 {
		pem = append(append(bytes.TrimSpace(pem), '\n'), parts[2]...)
	}
	cert, err := tls.X509KeyPair(pem, parts[1])
	if err != nil {
		return nil, fmt.Errorf("ssl_crt %s and ssl_key %s: %w", c.files[0], c.files[1], err)
	}
	return &cert, nil
}

// get returns the current certificate. If new files cannot be read, the previous one stays.
func (c *Certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= CheckInterval {
		c.checked = now
		stamp, err := c.stat()
		if err == nil && stamp != c.stamp {
			var cert *tls.Certificate
			if cert, err = c.read(); err == nil {
				c.cert, c.stamp = cert, stamp
				c.log.Info("certificate reloaded", "path", c.files[0])
			}
		}
		if err != nil {
			c.log.Error("certificate not reloaded, keeping the previous one", "err", err)
		}
	}
	return c.cert, nil
}

// Config returns a TLS configuration that serves the certificate over HTTP/2 and HTTP/1.1.
func (c *Certificates) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"h2", "http/1.1"}}
}
