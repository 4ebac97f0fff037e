package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

func init() {
	Register(Driver{
		Name: "rest",
		Doc:  "A web service of yours, which checks names and passwords and may answer with the rules of the user.",
		Options: []Option{
			{Name: "^url", Type: "string", Doc: "Address of the web service. Required."},
			{Name: "^ca_file", Type: "string", Doc: "File with the certificate authority of the web service. When unset, the system's. Not in Salt."},
		},
		AtOnce: 16,
		Open:   func(cf Config) (Backend, error) { return openREST(cf) },
	})
}

// Bounds of an answer of a web service.
const (
	maxRESTAnswer = 1 << 20 // bytes
	maxRESTRules  = 10_000
)

// restService is a web service that checks passwords.
type restService struct {
	url  string
	http *http.Client
}

func openREST(cf Config) (*restService, error) {
	v := ownValues(cf)
	s := &restService{url: v.text("url", "")}
	u, err := url.Parse(s.url)
	switch {
	case s.url == "":
		v.fault("url", "is missing: it is the address of the web service that checks passwords")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		v.fault("url", "is neither an https:// nor an http:// address")
	case u.Scheme == "http" && !local(u.Hostname()):
		cf.Log.Warn("external_auth: rest sends passwords unencrypted", "hint", "use an https:// address in ^url")
	}
	roots, err := authorities(v.text("ca_file", ""))
	if err != nil {
		v.fault("ca_file", "%v", err)
	}
	if err := v.err(); err != nil {
		return nil, err
	}
	if keep, _ := cf.Values["keep_acl_in_token"].(bool); !keep {
		cf.Log.Warn("external_auth: tokens lack the rules that the web service gives", "hint", "set keep_acl_in_token: true")
	}
	s.http = &http.Client{
		Timeout: checkTime,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: checkTime,
			MaxResponseHeaderBytes: maxRESTAnswer, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		},
		//mutant:rest-no-redirect
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the password is for ^url only
	}
	return s, nil
}

// authorities reads a file of certificates; nil means those of the system.
func authorities(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s does not hold a PEM certificate", path)
	}
	return pool, nil
}

// Check sends name and password as a form, as Salt does. Status 200 accepts them.
func (s *restService) Check(ctx context.Context, c Credentials) (Identity, error) {
	form := url.Values{"username": {c.Username}, "password": {c.Password}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(form.Encode()))
	if err != nil {
		return Identity{}, withoutURL(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	resp, err := s.http.Do(req)
	if err != nil {
		return Identity{}, withoutURL(err)
	}
	defer resp.Body.Close()
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return Identity{}, fmt.Errorf("the web service answers with status %d", code)
	default:
		return Identity{}, denied("the web service answers with status %d", code)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxRESTAnswer+1))
	if err != nil {
		return Identity{}, withoutURL(err)
	}
	rules, err := restRules(resp.Header.Get("Content-Type"), body)
	if err != nil {
		return Identity{}, fmt.Errorf("answer of the web service: %w", err)
	}
	return Identity{Name: c.Username, Rules: rules}, nil
}

// restRules reads the rules in an answer: a list in JSON, or null. As in Salt, an empty answer is
// an error.
func restRules(contentType string, body []byte) ([]any, error) {
	if len(body) > maxRESTAnswer {
		return nil, fmt.Errorf("it has more than %d bytes", maxRESTAnswer)
	}
	if contentType != "" {
		if kind, _, err := mime.ParseMediaType(contentType); err != nil || !strings.Contains(kind, "json") {
			return nil, fmt.Errorf("its type is %.100q; only JSON is read", contentType)
		}
	}
	raw, err := wire.FromJSON(body)
	if err != nil {
		return nil, err
	}
	v, err := wire.Decode(raw)
	if err != nil {
		return nil, err
	}
	switch v := value.Plain(v).(type) {
	case nil:
		return nil, nil
	case []any:
		if len(v) > maxRESTRules {
			return nil, fmt.Errorf("it has more than %d rules", maxRESTRules)
		}
		return v, nil
	}
	return nil, errors.New("it is not a list of rules")
}

// withoutURL removes the address from an error of package http: it may hold a secret.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("ask the web service: %w", err)
}
