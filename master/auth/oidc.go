package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"github.com/momtree/mom/internal/logs"
)

func init() {
	Register(Driver{
		Name: "oidc",
		Doc:  "An OpenID provider, whose bearer token (JWT) is sent as the password; Salt has no such login service.",
		Options: []Option{
			{Name: "auth.oidc.issuer", Type: "string", Doc: "URL of the provider, as in `iss` of its tokens. Required. Not in Salt."},
			{Name: "auth.oidc.jwks_file", Type: "string", Doc: "File with the provider's public keys, read at each login. Without it they are fetched from the provider. Not in Salt."},
			{Name: "auth.oidc.client_id", Type: "string or list", Doc: "Accepted `aud` of tokens. This or audience is required. Not in Salt."},
			{Name: "auth.oidc.audience", Type: "string or list", Doc: "Further accepted `aud` of tokens. Not in Salt."},
			{Name: "auth.oidc.username_claim", Type: "string", Doc: "Claim with the user name. When unset, `preferred_username`, else `sub`. Not in Salt."},
			{Name: "auth.oidc.groups_claim", Type: "string", Default: "groups", Doc: "Claim with the groups: a string or a list. Not in Salt."},
		},
		Bearer: true,
		AtOnce: 16,
		Open:   func(cf Config) (Backend, error) { return openOIDC(cf, nil) },
	})
}

// algorithms are the accepted signature algorithms: only asymmetric ones, as the master's keys must not
// suffice to sign.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// openID is a login service for tokens of an OpenID provider.
type openID struct {
	issuer           string
	audience         []string
	username, groups string      // claims
	keys             oidc.KeySet // nil: not known yet
	http             *http.Client
	now              func() time.Time

	mu sync.Mutex // of keys
}

// openOIDC opens the service; transport is nil except in tests.
func openOIDC(cf Config, transport http.RoundTripper) (*openID, error) {
	v := topValues(cf, "auth.oidc", drivers["oidc"].names())
	o := &openID{
		issuer: v.text("issuer", ""), audience: slices.Concat(v.texts("client_id"), v.texts("audience")), username: v.text("username_claim", ""),
		groups: v.text("groups_claim", "groups"), now: cf.Now,
	}
	file := v.text("jwks_file", "")
	switch u, err := url.Parse(o.issuer); {
	case o.issuer == "":
		v.fault("issuer", "is missing: set it to the address of the provider, the iss of its tokens")
	case file != "": // it is never asked
	case err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && local(u.Hostname())):
		v.fault("issuer", "%q is not an https:// address, so its keys could be forged; set auth.oidc.jwks_file instead", o.issuer)
	}
	if len(o.audience) == 0 || slices.Contains(o.audience, "") {
		v.fault("client_id", "is missing: without it, tokens for any client of the provider would be accepted; set it to the client of these tokens")
	}
	if err := v.err(); err != nil {
		return nil, err
	}
	if file != "" {
		keys := &keyFile{path: file}
		if _, err := keys.load(); err != nil {
			cf.Log.Error("OIDC keys unreadable, logins by bearer token fail", "err", err)
		}
		o.keys = keys
	}
	if transport == nil {
		transport = &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, TLSHandshakeTimeout: checkTime}
	}
	o.http = &http.Client{Transport: bounded{transport}, Timeout: checkTime}
	return o, nil
}

// local reports whether a host name denotes this machine.
func local(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// keySet returns the keys of the provider, fetched on first use.
func (o *openID) keySet(ctx context.Context) (oidc.KeySet, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.keys != nil {
		return o.keys, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, o.http), o.issuer)
	if err != nil {
		return nil, fmt.Errorf("request the keys of provider %s: %w", o.issuer, err)
	}
	var has struct {
		Keys string `json:"jwks_uri"`
	}
	if err := p.Claims(&has); err != nil || has.Keys == "" {
		return nil, fmt.Errorf("provider %s has no jwks_uri", o.issuer)
	}
	o.keys = fetched{oidc.NewRemoteKeySet(oidc.ClientContext(context.WithoutCancel(ctx), o.http), has.Keys)}
	return o.keys, nil
}

func (o *openID) Check(ctx context.Context, c Credentials) (Identity, error) {
	if err := wellFormed(c.Password); err != nil {
		return Identity{}, err
	}
	keys, err := o.keySet(ctx)
	if err != nil {
		return Identity{}, err
	}
	asked := &asked{KeySet: keys}
	verifier := oidc.NewVerifier(o.issuer, asked, &oidc.Config{SkipClientIDCheck: true, SupportedSigningAlgs: algorithms, Now: o.now})
	token, err := verifier.Verify(ctx, c.Password)
	switch {
	case asked.away != nil:
		return Identity{}, asked.away
	case err != nil:
		return Identity{}, denied("the bearer token is not accepted: %s", logs.Cause(err))
	case !slices.ContainsFunc(token.Audience, func(a string) bool { return slices.Contains(o.audience, a) }):
		return Identity{}, denied("the bearer token is for another program")
	}
	var claims map[string]json.RawMessage
	if err := token.Claims(&claims); err != nil {
		return Identity{}, denied("the claims of the bearer token cannot be read")
	}
	return o.identity(claims, c.Username)
}

// wellFormed returns an error if a text is not a token signed by one of [algorithms].
func wellFormed(text string) error {
	jws, err := jose.ParseSignedCompact(text, signatureAlgorithms())
	if err != nil || len(jws.Signatures) != 1 {
		return denied("no bearer token that is signed by a key pair")
	}
	return nil
}

func signatureAlgorithms() []jose.SignatureAlgorithm {
	out := make([]jose.SignatureAlgorithm, len(algorithms))
	for i, a := range algorithms {
		out[i] = jose.SignatureAlgorithm(a)
	}
	return out
}

// maxOIDCGroups bounds the groups of a token.
const maxOIDCGroups = 5000

// identity reads the identity from the claims. A user name sent with the token must be the same.
func (o *openID) identity(claims map[string]json.RawMessage, sent string) (Identity, error) {
	name := text(claims[o.username])
	if o.username == "" {
		if name = text(claims["preferred_username"]); name == "" {
			name = text(claims["sub"])
		}
	}
	if name == "" {
		return Identity{}, denied("the bearer token has no claim with a user name")
	}
	if o.username == "email" && string(claims["email_verified"]) != "true" {
		return Identity{}, denied("the address in the bearer token is not verified")
	}
	if sent != "" && sent != name {
		return Identity{}, denied("the bearer token is another user's")
	}
	id := Identity{Name: name}
	switch raw := claims[o.groups]; {
	case raw == nil || string(raw) == "null":
	case json.Unmarshal(raw, &id.Groups) == nil && len(id.Groups) <= maxOIDCGroups:
	default:
		one := text(raw)
		if one == "" {
			return Identity{}, denied("the groups in the bearer token are no list of texts")
		}
		id.Groups = []string{one}
	}
	return id, nil
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// bounded limits the size of a provider's answers, which are read as a whole.
type bounded struct{ http.RoundTripper }

// maxProvider bounds an answer of a provider, in bytes.
const maxProvider = 1 << 20

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxProvider), resp.Body}
	return resp, nil
}

// awayError says that the keys are not available, which is not a fault of the token.
type awayError struct{ err error }

func (e *awayError) Error() string { return "keys of the provider: " + e.err.Error() }

func (e *awayError) Unwrap() error { return e.err }

// asked records why keys are not available, since the verifier reduces the error to a text.
type asked struct {
	oidc.KeySet
	away *awayError
}

func (a *asked) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	b, err := a.KeySet.VerifySignature(ctx, jwt)
	errors.As(err, &a.away)
	return b, err
}

// fetched are keys from the provider.
type fetched struct{ oidc.KeySet }

func (f fetched) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	b, err := f.KeySet.VerifySignature(ctx, jwt)
	if err != nil && strings.HasPrefix(err.Error(), "fetching keys ") {
		return nil, &awayError{err}
	}
	return b, err
}
