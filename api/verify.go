package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
)

// maxChunkLogins bounds the different logins in one body.
const maxChunkLogins = 8

var errChunkLogins = Refuse(http.StatusBadRequest, "more than 8 logins in one request")

// logoutTime bounds the end of a login that was made for one request.
const logoutTime = 10 * time.Second

// tokenRevoker ends tokens; see [Backend].
type tokenRevoker interface {
	RevokeToken(ctx context.Context, id string) error
}

// verifier checks the logins in the chunks of a body.
type verifier struct {
	tokens *tokenChecker
	logins *loginQueue
	budget *budget
	master tokenRevoker
	log    *slog.Logger
}

// verified are logins that were checked at the master: each is a token that is valid now, or an
// error. A name and a password become a token for the time of the request.
type verified struct {
	by     *verifier
	c      *call
	logins []client.Login
	errs   []error
	made   []string // tokens to revoke
}

// verify checks logins, each of them once. The caller ends the result.
func (v *verifier) verify(c *call, logins []client.Login) *verified {
	out := &verified{by: v, c: c, logins: make([]client.Login, len(logins)), errs: make([]error, len(logins))}
	first := map[client.Login]int{}
	for i, l := range logins {
		if at, seen := first[l]; seen {
			out.logins[i], out.errs[i] = out.logins[at], out.errs[at]
			continue
		}
		first[l] = i
		if len(first) > maxChunkLogins {
			out.errs[i] = errChunkLogins
			continue
		}
		out.logins[i], out.errs[i] = out.token(l)
	}
	return out
}

// token turns a login into a valid token.
func (v *verified) token(l client.Login) (client.Login, error) {
	switch {
	case l.Token != "" && l.Token == v.c.token.Token: // checked already
		return client.Login{Token: l.Token}, nil
	case l.Token != "" && !IsToken(l.Token):
		return client.Login{}, errNoSession
	case l.Token != "":
		//mutant:idempotency-login
		_, err := v.by.tokens.lookUp(v.c, l.Token)
		return client.Login{Token: l.Token}, err
	}
	t, err := v.by.logins.login(v.c, l, 0)
	if err != nil {
		return client.Login{}, err
	}
	v.made = append(v.made, t.Token)
	return client.Login{Token: t.Token}, nil
}

// err returns why nothing in the body can run: an invalid token, too many logins, or a master that
// does not answer. A wrong password concerns only its chunk.
func (v *verified) err() error {
	for _, err := range v.errs {
		if err != nil && !errors.Is(err, errBadLogin) {
			return err
		}
	}
	return nil
}

// recheck looks the logins up again.
func (v *verified) recheck() error {
	for i, l := range v.logins {
		if v.errs[i] != nil {
			continue
		}
		if _, err := v.by.tokens.lookUp(v.c, l.Token); err != nil {
			return err
		}
	}
	return nil
}

// end revokes the tokens that were made.
func (v *verified) end() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.c.ctx), logoutTime)
	defer cancel()
	for _, id := range v.made {
		if err := v.by.master.RevokeToken(ctx, id); err != nil {
			v.by.log.Debug("one-time login not closed, it expires", "err", err)
		}
	}
}

// admit moves a request with a valid login to the places of users, because it may wait for minions
// for long. A request without one keeps its place among the strangers.
func (v *verified) admit() error {
	if v.c.known() || !slices.Contains(v.errs, nil) {
		return nil
	}
	v.c.release()
	return v.by.budget.enterUser(v.c)
}

// loginErrorOf returns the error of a chunk with a wrong password, in Salt's words.
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
