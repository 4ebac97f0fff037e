package fileclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Time limits of a web server: until the answer begins, and between two pieces of it.
const (
	httpBegin = 30 * time.Second
	httpIdle  = 60 * time.Second
)

// etagSuffix is the suffix of the file that keeps the ETag of a cached file.
const etagSuffix = ".etag"

// other fetches a file that is not behind salt://.
func (c *Client) other(ctx context.Context, source, dest string, w Want) (string, error) {
	u, err := url.Parse(source)
	if err != nil {
		return "", fmt.Errorf("parse source %q: %w", Redact(source), err)
	}
	switch u.Scheme {
	case "", "file":
		path := u.Path
		if u.Scheme == "" {
			path = source
		}
		if !filepath.IsAbs(path) {
			return "", fmt.Errorf("Path '%s' is not absolute", path)
		}
		if _, err := os.Stat(path); err != nil {
			return "", err
		}
		return strings.TrimRight(path, "/"), nil
	case "http", "https":
		return c.web(ctx, u, dest, w)
	}
	return "", fmt.Errorf("the source %q has the scheme %s, which is not supported; use salt, file, http or https", Redact(source), u.Scheme)
}

// Redact returns an address without its password.
func Redact(source string) string {
	u, err := url.Parse(source)
	if err != nil {
		return "(an address that cannot be read)"
	}
	return u.Redacted()
}

// web fetches a file from a web server.
func (c *Client) web(ctx context.Context, u *url.URL, dest string, w Want) (string, error) {
	cache := dest == ""
	if cache {
		var err error
		if dest, err = c.Place(u.String(), w.saltenv()); err != nil {
			return "", err
		}
		if c.has(dest, w.SourceHash) {
			return dest, nil
		}
	} else if st, err := os.Stat(dest); err == nil && st.IsDir() || endsInSeparator(dest) {
		name := filepath.Base(u.Path)
		if u.Path == "" || strings.HasSuffix(u.Path, "/") {
			name = "index.html"
		}
		dest = filepath.Join(dest, name)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(httpIdle, func() { cancel(fmt.Errorf("the server sent nothing for %v", httpIdle)) })
	defer idle.Stop()
	resp, err := c.answer(ctx, u, dest, w)
	if err != nil {
		return "", errors.Join(err, because(ctx))
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified:
		return dest, nil
	case resp.StatusCode != http.StatusOK:
		return "", &StatusError{Code: resp.StatusCode, Address: u.Redacted()}
	}
	err = c.write(dest, cache || w.Makedirs, func(f *os.File) error {
		body := &pulse{io.LimitReader(resp.Body, c.o.MaxFile+1), idle}
		n, err := io.Copy(f, body)
		if err == nil && n > c.o.MaxFile {
			err = fmt.Errorf("it is larger than %d bytes", c.o.MaxFile)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", u.Redacted(), errors.Join(err, because(ctx)))
	}
	if tag := resp.Header.Get("ETag"); w.ETag && tag != "" {
		if err := os.WriteFile(dest+etagSuffix, []byte(tag), 0o600); err != nil {
			return "", err
		}
	}
	return dest, nil
}

// because returns the cause of an ended context, nil before it ends.
func because(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}

// StatusError is an answer of a web server with an error status.
type StatusError struct {
	Code    int
	Address string // without a password
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("HTTP error %d reading %s: %s", e.Code, e.Address, http.StatusText(e.Code))
}

// answer requests a file from a web server. It sends a password only to the server in the
// address, not to targets of redirects.
func (c *Client) answer(ctx context.Context, u *url.URL, dest string, w Want) (*http.Response, error) {
	bare := *u
	bare.User = nil
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, bare.String(), nil)
	if err != nil {
		return nil, err
	}
	if u.User != nil {
		password, _ := u.User.Password()
		req.SetBasicAuth(u.User.Username(), password)
	}
	if w.ETag {
		if tag, err := os.ReadFile(dest + etagSuffix); err == nil {
			if _, err := os.Stat(dest); err == nil {
				req.Header.Set("If-None-Match", strings.TrimSpace(string(tag)))
			}
		}
	}
	t := &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: httpBegin}).DialContext, TLSHandshakeTimeout: httpBegin,
		ResponseHeaderTimeout: httpBegin, DisableKeepAlives: true,
	}
	if w.SkipVerify {
		t.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // verify_ssl=False asks for that
	}
	resp, err := (&http.Client{Transport: t}).Do(req)
	if err != nil {
		return nil, fmt.Errorf("Error reading %s: %w", u.Redacted(), err)
	}
	return resp, nil
}

// has reports whether a file has a hash ("TYPE=HEX" or "HEX"); false if sum is "".
func (c *Client) has(path, sum string) bool {
	sum = sum[strings.LastIndexByte(sum, '=')+1:]
	kind := map[int]string{32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}[len(sum)]
	if kind == "" {
		return false
	}
	h, err := c.hashLocal(path, kind)
	return err == nil && strings.EqualFold(h.Sum, sum)
}

// pulse extends a deadline with each read.
type pulse struct {
	r    io.Reader
	idle *time.Timer
}

func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if n > 0 {
		p.idle.Reset(httpIdle)
	}
	return n, err
}
