package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"
)

func init() {
	Register(Driver{
		Name: "sharedsecret",
		Doc:  "One secret for all users, for a program that authenticates people itself and logs in for them.",
		Options: []Option{
			{Name: "sharedsecret", Type: "string", Doc: "Password of every user with rules under `sharedsecret` in external_auth.", Secret: true},
		},
		Open: func(cf Config) (Backend, error) {
			secret, _ := cf.Values["sharedsecret"].(string)
			if secret == "" || strings.HasPrefix(secret, "sdb://") {
				return nil, errors.New("set sharedsecret to a long text that nobody can guess, in quotes")
			}
			return sharedSecret(sha256.Sum256([]byte(secret))), nil
		},
	})
}

// sharedSecret is the hash of the secret, so that texts of any length compare in constant time.
type sharedSecret [sha256.Size]byte

func (s sharedSecret) Check(_ context.Context, c Credentials) (Identity, error) {
	sent := sha256.Sum256([]byte(c.Password))
	if subtle.ConstantTimeCompare(s[:], sent[:]) != 1 {
		return Identity{}, denied("not the shared secret")
	}
	return Identity{Name: c.Username}, nil
}
