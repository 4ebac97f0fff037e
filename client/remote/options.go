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

// Options of a [Client].
type Options struct {
	// URL is where the API is, such as https://top:8000, with the path that it has in
	// front of all others (root_prefix). http is taken for this host alone, unless
	// Insecure.
	URL string
	// CA is a file in PEM: the authorities whose certificates are good, in place of the
	// system's.
	CA string
	// Insecure takes any certificate, and http to any host: whoever is in between may
	// read and change everything, the password too.
	Insecure bool
	// Expected has followed jobs tell who has to answer, by node ([client.Expectation]):
	// one more request for each job. Default no.
	Expected bool
	// Timeout bounds a request that waits for no minion. Default 60 s.
	Timeout time.Duration
	// CallTime bounds a request that waits for minions or for a runner. Default 24 h,
	// which is the bound of the API itself.
	CallTime time.Duration
	// Silence is after how long without a sign of life a stream counts as broken; the
	// API gives one each 20 s. Default 90 s.
	Silence time.Duration
	// Log is told of requests at debug level. Default: slog.Default.
	Log *slog.Logger

	event int // bytes of one event; default maxEvent
}

const (
	dialTime = 10 * time.Second
	// maxAnswer bounds an answer, in bytes; that of a call which nobody has logged in for
	// is bounded by smallAnswer.
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

// base reads the URL.
func (o Options) base() (*url.URL, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // the whole text may hold a password
		}
		return nil, fmt.Errorf("the address of the API is no URL such as https://top:8000: %w", err)
	}
	switch {
	case u.User != nil:
		return nil, errors.New("the address of the API has a name or password in it; log in with --username, or SALTAPI_USER and SALTAPI_PASS")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("%q is no address of an API; it is a URL such as https://top:8000", o.URL)
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%q: the address of an API has no ? and no #", o.URL)
	case u.Scheme == "http" && !o.Insecure && !loopback(u.Hostname()):
		return nil, fmt.Errorf("%s is not encrypted, and %s is another host: passwords and tokens could be read on the way; use https, or --api-insecure if nobody can listen", o.URL, u.Hostname())
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// client makes the one that all requests go through.
func (o Options) client() (*http.Client, error) {
	//mutant:remote-certificates
	conf := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.Insecure} //nolint:gosec // it is what --api-insecure asks for, and says at each run
	if o.CA != "" {
		pem, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, fmt.Errorf("the certificate authority of the API: %w", err)
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("the certificate authority of the API: %s has no certificate in PEM", o.CA)
		}
	}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSClientConfig: conf, ForceAttemptHTTP2: true,
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSHandshakeTimeout: dialTime, MaxResponseHeaderBytes: headBytes, IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 32,
		},
		// The token is in a header of our own, which would go along to wherever a redirect leads.
		//mutant:remote-redirects
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}
