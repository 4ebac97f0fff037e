package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Options configures a [Client].
type Options struct {
	// URL is the address of the API, such as https://top:8000, including a path prefix
	// (root_prefix). http is accepted only for this host, unless Insecure is set. Several addresses
	// are separated by commas: those of tops that act as one. When one cannot be reached, the next
	// one is used; jobs are followed there.
	URL string
	// CA is a PEM file with the certificate authorities to trust in place of the system's.
	CA string
	// Insecure accepts any certificate, and http to any host. Anyone on the network path can
	// then read and change everything, including the password.
	Insecure bool
	// Expected adds the expected minions by node ([client.Expectation]) to the updates of
	// followed jobs, at the cost of one more request for each job. Default false.
	Expected bool
	// Timeout limits a request that does not wait for minions. Default 60 s.
	Timeout time.Duration
	// CallTime limits a request that waits for minions or for a runner. Default 24 h, the
	// limit of the API itself.
	CallTime time.Duration
	// Silence is how long a stream may be silent before it counts as broken. The API sends a
	// keepalive every 20 s. Default 90 s.
	Silence time.Duration
	// Log receives requests at debug level. Default: slog.Default.
	Log *slog.Logger

	event int // maximum size of an event, in bytes; default maxEvent
}

const (
	dialTime = 10 * time.Second
	// maxAnswer limits a response, in bytes. smallAnswer limits the response to a request
	// without a login.
	maxAnswer   = 256 << 20
	smallAnswer = 4 << 20
	headBytes   = 64 << 10
)

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 60 * time.Second
	}
	if o.CallTime <= 0 {
		o.CallTime = 24 * time.Hour
	}
	if o.Silence <= 0 {
		o.Silence = 90 * time.Second
	}
	if o.event <= 0 {
		o.event = maxEvent
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// bases parses and checks the URL, or all of several.
func (o Options) bases() (all []*url.URL, err error) {
	for text := range strings.SplitSeq(o.URL, ",") {
		one := o
		one.URL = strings.TrimSpace(text)
		u, err := one.base()
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

func (o Options) base() (*url.URL, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // the full message may contain a password
		}
		return nil, fmt.Errorf("invalid API URL, want one like https://top:8000: %w", err)
	}
	switch {
	case u.User != nil:
		return nil, errors.New("the API URL must not contain a name or password; log in with --username, or SALTAPI_USER and SALTAPI_PASS")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("invalid API URL %q; want one like https://top:8000", o.URL)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("invalid API URL %q: it must not contain ? or #", o.URL)
	case u.Scheme == "http" && !o.Insecure && !loopback(u.Hostname()):
		return nil, fmt.Errorf("%s is not encrypted and %s is another host: passwords and tokens could be read on the network; use https, or --api-insecure on a trusted network", o.URL, u.Hostname())
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// client returns the HTTP client for all requests.
func (o Options) client() (*http.Client, error) {
	//mutant:remote-certificates
	conf := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.Insecure} //nolint:gosec // set by --api-insecure, which prints a warning
	if o.CA != "" {
		pem, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, fmt.Errorf("read certificate authority of the API: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("read certificate authority of the API: no PEM certificate in %s", o.CA)
		}
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: conf, ForceAttemptHTTP2: true,
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSHandshakeTimeout: dialTime, MaxResponseHeaderBytes: headBytes, IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 32,
		},
		// Redirects would forward the token, which is in a header of its own.
		//mutant:remote-redirects
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
