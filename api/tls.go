package api

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificates are the files of a listener, read again when they change.
type certificates struct {
	files []string // certificate, key and, if there is one, chain
	now   func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	cert    *tls.Certificate
	stamp   string    // of the files that cert was read from
	checked time.Time // when they were last looked at
}

// lookAgain is how often the files are looked at, at most.
const lookAgain = 5 * time.Second

func readCertificates(o Options) (*certificates, error) {
	c := &certificates{files: []string{o.Cert, o.Key}, now: o.Now, log: o.Log}
	if o.Chain != "" {
		c.files = append(c.files, o.Chain)
	}
	stamp, err := c.look()
	if err != nil {
		return nil, err
	}
	if c.cert, err = c.read(); err != nil {
		return nil, err
	}
	c.stamp, c.checked = stamp, o.Now()
	return c, nil
}

// look tells by which one knows that a file has changed.
func (c *certificates) look() (string, error) {
	var b bytes.Buffer
	for _, f := range c.files {
		info, err := os.Stat(f)
		if err != nil {
			return "", fmt.Errorf("look at the certificate: %w", err)
		}
		fmt.Fprintf(&b, "%s %d %d\n", f, info.Size(), info.ModTime().UnixNano())
	}
	return b.String(), nil
}

func (c *certificates) read() (*tls.Certificate, error) {
	var parts [3][]byte
	for i, f := range c.files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("read the certificate: %w", err)
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

// get gives the certificate of now. New files that cannot be read leave the old one.
func (c *certificates) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= lookAgain {
		c.checked = now
		stamp, err := c.look()
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

func (c *certificates) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"h2", "http/1.1"}}
}
