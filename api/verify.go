package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
)

// maxChunkLogins bounds the different logins in one body.
const maxChunkLogins = 8

var errChunkLogins = refuse(http.StatusBadRequest, "more than 8 logins in one request")

// logoutTime bounds the end of a login that was made for one request.
const logoutTime = 10 * time.Second

// verified are the logins in the chunks of a body, looked up at the master: each is a token
// that is valid now, or an error. A name and a password are a token for as long as the request
// takes.
type verified struct {
	s      *Server
	c      *call
	logins []client.Login
	errs   []error
	made   []string // tokens to be ended
}

// verify looks up logins, each once.
func (s *Server) verify(c *call, logins []client.Login) *verified {
	v := &verified{s: s, c: c, logins: make([]client.Login, len(logins)), errs: make([]error, len(logins))}
	first := map[client.Login]int{}
	for i, l := range logins {
		if at, seen := first[l]; seen {
			v.logins[i], v.errs[i] = v.logins[at], v.errs[at]
			continue
		}
		first[l] = i
		if len(first) > maxChunkLogins {
			v.errs[i] = errChunkLogins
			continue
		}
		v.logins[i], v.errs[i] = v.token(l)
	}
	return v
}

// token is a login as a token that is valid.
func (v *verified) token(l client.Login) (client.Login, error) {
	switch {
	case l.Token != "" && l.Token == v.c.token.Token: // looked up already
		return client.Login{Token: l.Token}, nil
	case l.Token != "" && !shaped(l.Token):
		return client.Login{}, errNoSession
	case l.Token != "":
		//mutant:idempotency-login
		_, err := v.s.lookUp(v.c, l.Token)
		return client.Login{Token: l.Token}, err
	}
	t, err := v.s.makeLogin(v.c, l, 0)
	if err != nil {
		return client.Login{}, err
	}
	v.made = append(v.made, t.Token)
	return client.Login{Token: t.Token}, nil
}

// err is why nothing in the body can be run: a token that is not valid, too many logins, or
// a master that does not answer. A wrong password is the fault of its chunk alone.
func (v *verified) err() error {
	for _, err := range v.errs {
		if err != nil && !errors.Is(err, errBadLogin) {
			return err
		}
	}
	return nil
}

// still looks the logins up again.
func (v *verified) still() error {
	for i, l := range v.logins {
		if v.errs[i] != nil {
			continue
		}
		if _, err := v.s.lookUp(v.c, l.Token); err != nil {
			return err
		}
	}
	return nil
}

// end ends the tokens that were made.
func (v *verified) end() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.c.ctx), logoutTime)
	defer cancel()
	for _, id := range v.made {
		if err := v.s.b.RevokeToken(ctx, id); err != nil {
			v.s.log.Debug("one-time login not closed, it expires", "err", err)
		}
	}
}

// loginErrorOf is the error of a chunk with a wrong password, in Salt's words.
func loginErrorOf(ch lowdata.Chunk, err error) error {
	l, _ := ch.Login()
	switch ch.Client() {
	case "runner", "runner_async", "wheel", "wheel_async":
		return &client.Refused{Name: "EauthAuthenticationError", Message: "Authentication failure of type \"eauth\" occurred for user " + l.Username + "."}
	case "local", "local_async", "local_batch", "local_subset":
		return &client.Refused{Name: "AuthenticationError", Message: "Authentication error occurred."}
	}
	return err
}

// admit moves a request whose logins were looked up among those of users: it may wait for
// minions for long. One in which no login is valid stays a stranger's.
func (v *verified) admit() error {
	if v.c.known() || !slices.Contains(v.errs, nil) {
		return nil
	}
	v.c.release()
	return v.s.enterUsers(v.c)
}
