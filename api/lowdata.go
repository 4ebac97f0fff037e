package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
)

// lowDataHandler serves POST / and /run, which run low data.
type lowDataHandler struct {
	origins *origins
	tokens  *tokenChecker
	bodies  *bodyReader
	logins  *verifier
	chunks  *chunkRunner
	repeats *repeatStore
	// typed and chunkToken differ by dialect: see dialectRules.typed, and whether the token of a
	// chunk comes before that of the request.
	typed, chunkToken bool
}

// underToken serves POST /: each chunk runs under the token of the request, or else its own.
func (h *lowDataHandler) underToken(c *call) error {
	ok, err := h.tokens.identify(c)
	if err != nil {
		return err
	}
	err = h.run(c, func(ch lowdata.Chunk) (client.Login, error) {
		own, has := ch.Login()
		has = has && own.Token != ""
		switch {
		case has && (!ok || h.chunkToken):
			return own, nil
		case ok:
			return client.Login{Token: c.token.Token}, nil
		}
		return client.Login{}, errNoSession
	})
	if err != nil && !ok {
		if p, _ := problemOf(err); p.status == http.StatusBadRequest {
			return errNoSession // as in Salt, which checks the token before the body
		}
	}
	return err
}

// underLogins serves /run: each chunk has a login of its own, or that of the request.
func (h *lowDataHandler) underLogins(c *call) error {
	ok, err := h.tokens.identify(c)
	if err != nil && !errors.Is(err, errNoSession) { // an expired cookie does not matter to chunks with a login
		return err
	}
	if !ok {
		if err := h.origins.checkLogin(c.r); err != nil {
			return err
		}
	}
	return h.run(c, func(ch lowdata.Chunk) (client.Login, error) {
		if l, own := ch.Login(); own {
			return l, nil
		}
		if ok {
			return client.Login{Token: c.token.Token}, nil
		}
		return client.Login{}, errNoLogin
	})
}

// run reads the chunks of a request, runs them one after the other and answers.
func (h *lowDataHandler) run(c *call, login func(lowdata.Chunk) (client.Login, error)) error {
	data, raw, err := h.bodies.read(c)
	if err != nil {
		return err
	}
	chunks, err := data.Chunks(lowdata.Options{Typed: h.typed})
	if err != nil {
		return err
	}
	if len(chunks) == 0 {
		if _, err := login(lowdata.Chunk{}); err != nil {
			return err
		}
	}
	logins := make([]client.Login, len(chunks))
	for i, ch := range chunks {
		if logins[i], err = login(ch); err != nil {
			return err
		}
	}
	checked := h.logins.verify(c, logins)
	defer checked.end()
	if err := checked.err(); err != nil {
		return err
	}
	for i, err := range checked.errs {
		//mutant:idempotency-password
		if err != nil && repeatKey(c.r) != "" { // the answer may exist already, and is for those who are logged in now
			return loginErrorOf(chunks[i], err)
		}
	}
	if err := checked.admit(); err != nil {
		return err
	}
	return h.repeats.once(c, logins, raw, checked.recheck, func(ctx context.Context) reply {
		results := make([]result, len(chunks))
		for i, ch := range chunks {
			if checked.errs[i] != nil {
				results[i].err = loginErrorOf(ch, checked.errs[i])
				continue
			}
			results[i] = h.chunks.run(ctx, checked.logins[i], ch)
		}
		return gather(c, results)
	})
}
