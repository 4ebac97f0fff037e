package auth

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// provider signs tokens for tests.
type provider struct {
	issuer string
	keys   map[string]crypto.Signer // by kid
}

var signers = sync.OnceValue(func() map[string]crypto.Signer {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	_, d, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return map[string]crypto.Signer{"r": r, "e": e, "d": d, "other": other}
})

func newProvider(issuer string) *provider {
	return &provider{issuer: issuer, keys: signers()}
}

// jwks returns the public keys except "other".
func (p *provider) jwks(t *testing.T, kids ...string) []byte {
	t.Helper()
	var set jose.JSONWebKeySet
	for _, kid := range kids {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: p.keys[kid].Public(), KeyID: kid})
	}
	b, err := json.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// claims returns valid claims with changes; nil removes a claim.
func (p *provider) claims(pairs ...any) map[string]any {
	c := map[string]any{
		"iss": p.issuer, "aud": "salt", "exp": began.Add(time.Hour).Unix(), "iat": began.Unix(), "sub": "0815", "preferred_username": "alice", "groups": []string{"ops"},
	}
	for i := 0; i < len(pairs); i += 2 {
		if c[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(c, pairs[i].(string))
		}
	}
	return c
}

func (p *provider) sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string, claims map[string]any) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithType("JWT").WithHeader("kid", kid))
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := s.Sign(b)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (p *provider) token(t *testing.T, claims map[string]any) string {
	t.Helper()
	return p.sign(t, jose.RS256, p.keys["r"], "r", claims)
}

// withKeys opens the login service with a key file.
func (p *provider) withKeys(t *testing.T, keys []byte, options ...any) *openID {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jwks.json")
	if err := os.WriteFile(path, keys, 0o600); err != nil {
		t.Fatal(err)
	}
	all := map[string]any{"issuer": p.issuer, "client_id": "salt", "jwks_file": path}
	for i := 0; i < len(options); i += 2 {
		all[options[i].(string)] = options[i+1]
	}
	o, err := openOIDC(Config{Values: map[string]any{"auth.oidc": all}, Log: quiet, Now: at(began)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const issuer = "https://login.example/realm"

func TestBearerTokens(t *testing.T) {
	p := newProvider(issuer)
	b := p.withKeys(t, p.jwks(t, "r", "e", "d"))
	for alg, key := range map[jose.SignatureAlgorithm]string{jose.RS256: "r", jose.PS512: "r", jose.ES256: "e", jose.EdDSA: "d"} {
		for _, kid := range []string{key, ""} {
			id, err := b.Check(t.Context(), Credentials{Password: p.sign(t, alg, p.keys[key], kid, p.claims())})
			if err != nil || id.Name != "alice" || !slices.Equal(id.Groups, []string{"ops"}) {
				t.Errorf("%s, kid %q: %v, %v", alg, kid, id, err)
			}
		}
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must(x509.MarshalPKIXPublicKey(p.keys["r"].Public()))})
	part := func(v string) string { return base64.RawURLEncoding.EncodeToString([]byte(v)) }
	payload := part(string(must(json.Marshal(p.claims()))))
	good := p.token(t, p.claims())
	parts := strings.Split(good, ".")
	for what, token := range map[string]string{
		"alg none":                  part(`{"alg":"none"}`) + "." + payload + ".",
		"alg None":                  part(`{"alg":"None"}`) + "." + payload + ".",
		"no signature":              parts[0] + "." + parts[1] + ".",
		"other claims":              parts[0] + "." + part(string(must(json.Marshal(p.claims("preferred_username", "root"))))) + "." + parts[2],
		"HS256 with the public key": p.sign(t, jose.HS256, public, "r", p.claims()),
		"HS256 with the raw key":    p.sign(t, jose.HS256, must(x509.MarshalPKIXPublicKey(p.keys["r"].Public())), "r", p.claims()),
		"another key":               p.sign(t, jose.RS256, p.keys["other"], "r", p.claims()),
		"another key, kid unknown":  p.sign(t, jose.RS256, p.keys["other"], "other", p.claims()),
		"a good key by another kid": p.sign(t, jose.RS256, p.keys["r"], "e", p.claims()),
		"its own key in the header": p.signWithJWK(t, p.claims()),
		"another audience":          p.token(t, p.claims("aud", "grafana")),
		"no audience":               p.token(t, p.claims("aud", nil)),
		"another issuer":            p.token(t, p.claims("iss", issuer+"2")),
		"expired":                   p.token(t, p.claims("exp", began.Add(-time.Second).Unix())),
		"without an end":            p.token(t, p.claims("exp", nil)),
		"not yet":                   p.token(t, p.claims("nbf", began.Add(time.Hour).Unix())),
		"nobody's":                  p.token(t, p.claims("sub", nil, "preferred_username", nil)),
		"a number for a name":       p.token(t, p.claims("sub", nil, "preferred_username", 7)),
		"groups that are none":      p.token(t, p.claims("groups", map[string]any{"a": 1})),
		"no token":                  "secret-password",
		"a JSON form of one":        `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`,
		"five parts":                good + "." + parts[0] + "." + parts[1],
	} {
		id, err := b.Check(t.Context(), Credentials{Password: token})
		if !errors.Is(err, ErrDenied) || id.Name != "" {
			t.Errorf("%s: %v, %v", what, id, err)
		}
		if err != nil && (strings.Contains(err.Error(), "secret-password") || strings.Contains(err.Error(), token)) {
			t.Errorf("%s: the error contains the token: %v", what, err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// signWithJWK signs with the sender's own key and puts it into the header.
func (p *provider) signWithJWK(t *testing.T, claims map[string]any) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: p.keys["other"]}, &jose.SignerOptions{EmbedJWK: true})
	if err != nil {
		t.Fatal(err)
	}
	jws, err := s.Sign(must(json.Marshal(claims)))
	if err != nil {
		t.Fatal(err)
	}
	return must(jws.CompactSerialize())
}

// The claims that identify a user.
func TestClaims(t *testing.T) {
	p := newProvider(issuer)
	keys := p.jwks(t, "r")
	for _, c := range []struct {
		what    string
		options []any
		claims  map[string]any
		sent    string
		want    string // name and groups; "": denied
	}{
		{"as sent", nil, p.claims(), "alice", "alice ops"},
		{"another name sent", nil, p.claims(), "bob", ""},
		{"sub", nil, p.claims("preferred_username", nil), "", "0815 ops"},
		{"no groups", nil, p.claims("groups", nil), "", "alice"},
		{"groups null", nil, p.claims("groups", json.RawMessage("null")), "", "alice"},
		{"one group", nil, p.claims("groups", "ops"), "", "alice ops"},
		{"other claims", []any{"username_claim", "upn", "groups_claim", "roles"}, p.claims("upn", "a@x", "roles", []string{"r1", "r2"}), "", "a@x r1 r2"},
		{"its claim is not there", []any{"username_claim", "upn"}, p.claims(), "", ""},
		{"a verified address", []any{"username_claim", "email"}, p.claims("email", "a@x", "email_verified", true), "", "a@x ops"},
		{"an address", []any{"username_claim", "email"}, p.claims("email", "a@x", "email_verified", false), "", ""},
		{"an address, who knows", []any{"username_claim", "email"}, p.claims("email", "a@x"), "", ""},
		{"several audiences", []any{"client_id", []any{"a", "b"}, "audience", "c"}, p.claims("aud", []string{"x", "c"}), "", "alice ops"},
		{"none of several", []any{"client_id", []any{"a", "b"}, "audience", "c"}, p.claims("aud", []string{"x", "y"}), "", ""},
	} {
		b := p.withKeys(t, keys, c.options...)
		id, err := b.Check(t.Context(), Credentials{Username: c.sent, Password: p.token(t, c.claims)})
		if got := strings.TrimSpace(id.Name + " " + strings.Join(id.Groups, " ")); got != c.want || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, ErrDenied) {
			t.Errorf("%s: %q, %v, want %q", c.what, got, err, c.want)
		}
	}
}

// The name in a token is checked like a typed one, and needs rules; the user name may be absent.
func TestBearerLogin(t *testing.T) {
	p := newProvider(issuer)
	path := filepath.Join(t.TempDir(), "jwks.json")
	if err := os.WriteFile(path, p.jwks(t, "r"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := service(t, at(began), quiet, "auth.oidc:\n  issuer: "+issuer+"\n  client_id: salt\nauth.oidc.jwks_file: "+path+"\nexternal_auth: {oidc: {ops%: [test.*]}}\n")
	tok, err := s.Login(t.Context(), Credentials{Eauth: "oidc", Password: p.token(t, p.claims())}, 0)
	if err != nil || tok.Name != "alice" || !slices.Equal(tok.Groups, []string{"ops"}) {
		t.Errorf("%v, %v", tok, err)
	}
	for _, c := range []map[string]any{p.claims("preferred_username", "a\nb"), p.claims("groups", []string{"others"})} {
		if _, _, err := s.verify(t.Context(), Credentials{Eauth: "oidc", Password: p.token(t, c)}, false); !errors.Is(err, ErrDenied) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A key file is read again when it changes, and may contain public keys only.
func TestKeyFile(t *testing.T) {
	p := newProvider(issuer)
	b := p.withKeys(t, p.jwks(t, "e"))
	token := Credentials{Password: p.token(t, p.claims())}
	if _, err := b.Check(t.Context(), token); !errors.Is(err, ErrDenied) {
		t.Errorf("a key that is not there: %v", err)
	}
	path := b.keys.(*keyFile).path
	put := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(p.jwks(t, "r"))
	if _, err := b.Check(t.Context(), token); err != nil {
		t.Errorf("a key that was added: %v", err)
	}
	mixed := `{"keys":[{"kty":"OKP","crv":"X448","x":"AA"},` + strings.TrimPrefix(string(p.jwks(t, "r")), `{"keys":[`)
	put([]byte(mixed))
	if _, err := b.Check(t.Context(), token); err != nil {
		t.Errorf("beside a key of an unknown kind: %v", err)
	}
	private := must(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.keys["r"]}}}))
	for want, content := range map[string][]byte{
		"not a JSON Web Key Set":        []byte("-----BEGIN PUBLIC KEY-----"),
		"key 1 is not a public key":     private,
		"key 1 cannot be read":          []byte(`{"keys":[{"kty":"RSA","n":"?"}]}`),
		"no signing key":                []byte(`{"keys":[]}`),
		"key 1 is not a public key\x00": []byte(`{"keys":[{"kty":"oct","k":"c2VjcmV0LXNlY3JldA"}]}`),
		"more than":                     make([]byte, maxKeyFile+1),
	} {
		put(content)
		_, err := b.Check(t.Context(), token)
		if want = strings.TrimRight(want, "\x00"); err == nil || errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Check(t.Context(), token); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("no file: %v", err)
	}
}

// Keys come from the provider, which is queried for the first token and for each new key. An
// unreachable provider, or one with an endless answer, does not count as a wrong token.
func TestProvider(t *testing.T) {
	var mu sync.Mutex
	var kids []string
	var asked []string
	broken := true
	var p *provider
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		switch {
		case broken:
			http.Error(w, "out of order", http.StatusServiceUnavailable)
		case r.URL.Path == "/.well-known/openid-configuration":
			_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.issuer, "jwks_uri": p.issuer + "/keys"})
		case len(kids) == 0:
			w.Header().Set("Content-Type", "application/json")
			for range maxProvider/1024 + 1 {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1024))); err != nil {
					return
				}
			}
		default:
			_, _ = w.Write(p.jwks(t, kids...))
		}
	}))
	defer server.Close()
	p = newProvider(server.URL)
	b, err := openOIDC(Config{Values: map[string]any{"auth.oidc.issuer": server.URL, "auth.oidc.client_id": "salt"}, Log: quiet, Now: at(began)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(kid string) error {
		_, err := b.Check(t.Context(), Credentials{Password: p.sign(t, map[string]jose.SignatureAlgorithm{"r": jose.RS256, "e": jose.ES256}[kid], p.keys[kid], kid, p.claims())})
		return err
	}
	// The library may return the result of a fetch that has just ended once more.
	checkSoon := func(kid string) (err error) {
		for t.Context().Err() == nil {
			if err = check(kid); err == nil || errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "fetching keys") {
				break
			}
			runtime.Gosched()
		}
		return err
	}
	set := func(down bool, with ...string) {
		mu.Lock()
		defer mu.Unlock()
		broken, kids, asked = down, with, nil
	}
	if _, err := b.Check(t.Context(), Credentials{Password: "no token"}); !errors.Is(err, ErrDenied) || len(asked) != 0 {
		t.Errorf("not a token: %v, asked %v", err, asked)
	}
	if err := check("r"); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("a provider that is broken: %v", err)
	}
	set(false)
	if err := check("r"); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("keys without end: %v", err)
	}
	set(false, "r")
	if err := checkSoon("r"); err != nil {
		t.Error(err)
	}
	set(true)
	if err := check("r"); err != nil || len(asked) != 0 {
		t.Errorf("a key that is known: %v, asked %v", err, asked)
	}
	if err := check("e"); err == nil || errors.Is(err, ErrDenied) {
		t.Errorf("a key that cannot be asked for: %v", err)
	}
	set(false, "r", "e")
	if err := checkSoon("e"); err != nil {
		t.Errorf("a new key: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	set(false, "r")
	if _, err := b.Check(ctx, Credentials{Password: p.sign(t, jose.RS256, p.keys["other"], "other", p.claims())}); err == nil {
		t.Error("a token with an unknown key is accepted")
	}
}

func TestOIDCOptions(t *testing.T) {
	for _, c := range []struct {
		options map[string]any
		want    string
	}{
		{nil, "auth.oidc.issuer: is missing"},
		{map[string]any{"issuer": issuer}, "auth.oidc.client_id: is missing"},
		{map[string]any{"issuer": issuer, "client_id": ""}, "auth.oidc.client_id: is missing"},
		{map[string]any{"issuer": "http://login.example", "client_id": "x"}, "is not an https:// address"},
		{map[string]any{"issuer": "login.example", "client_id": "x"}, "is not an https:// address"},
		{map[string]any{"issuer": issuer, "client_id": int64(1)}, "auth.oidc.client_id: wants a text or a list of texts"},
		{map[string]any{"issuer": issuer, "client_id": "x", "jwks": "y"}, "auth.oidc.jwks: is not known"},
	} {
		refusedWith(t, "oidc", nil, map[string]any{"auth.oidc": c.options}, c.want)
	}
	for _, c := range []map[string]any{
		{"issuer": "http://127.0.0.1:8080", "client_id": "x"},
		{"issuer": "anything", "client_id": "x", "jwks_file": "/nowhere"},
	} {
		if _, err := drivers["oidc"].open(Config{Values: map[string]any{"auth.oidc": c}, Log: quiet, Now: time.Now}); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// FuzzKeys: any JWKS file yields public keys or an error.
func FuzzKeys(f *testing.F) {
	f.Add([]byte(`{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`))
	f.Add([]byte(`{"keys":[{"kty":"oct","k":"AA"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		keys, err := readKeys(b)
		if (err == nil) != (len(keys) > 0) {
			t.Errorf("%d keys, %v", len(keys), err)
		}
		for _, k := range keys {
			if !k.IsPublic() || !k.Valid() {
				t.Errorf("%#v is not a public key", k)
			}
		}
	})
}
