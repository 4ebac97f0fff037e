package api

import (
	"net/http"
	"strings"
)

// cookieName is the cookie of a session, as in both of Salt's servers.
const cookieName = "session_id"

// credentials are the token that a request shows.
type credentials struct {
	id string // "": none
	// cookie: a browser sent it unasked, perhaps for a page of another origin.
	cookie bool
}

// credentialsOf finds the token of a request: in the header X-Auth-Token, then in Authorization, in
// the query or the path if inURL, and in the cookie.
func credentialsOf(r *http.Request, inURL bool) (credentials, error) {
	for _, name := range []string{"X-Auth-Token", "Authorization"} {
		all := r.Header.Values(name)
		for _, v := range all[min(1, len(all)):] {
			//mutant:api-two-headers
			if v != all[0] {
				return credentials{}, Refuse(http.StatusBadRequest, "The header "+name+" occurs twice, with different values")
			}
		}
	}
	if v := strings.TrimSpace(r.Header.Get("X-Auth-Token")); v != "" {
		return credentials{id: v}, nil
	}
	if scheme, v, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return credentials{id: strings.TrimSpace(v)}, nil
	}
	if inURL {
		if v := r.PathValue("token"); v != "" {
			return credentials{id: v}, nil
		}
		q := r.URL.Query()
		for _, name := range []string{"token", "salt_token"} {
			if v := q.Get(name); v != "" {
				return credentials{id: v}, nil
			}
		}
	}
	if c, err := r.Cookie(cookieName); err == nil && c.Value != "" {
		return credentials{id: c.Value, cookie: true}, nil
	}
	return credentials{}, nil
}

// IsToken reports whether a text has the form of a token: the hex digits of a hash. The master is
// not asked for other texts.
func IsToken(id string) bool {
	if len(id) < 32 || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
