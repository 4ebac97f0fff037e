package api

import (
	"net/http"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// welcome tells the clients, those that are not enabled too, as Salt does.
func (s *Server) welcome(c *call) error {
	m := value.NewMap("return", "Welcome", "clients", s.d.clients)
	if s.o.Dialect == Tornado {
		m = value.NewMap("clients", s.d.clients, "return", "Welcome")
	}
	s.answer(c.w, c.r, http.StatusOK, m)
	return nil
}

func (s *Server) pleaseLogIn(c *call) error {
	c.w.Header().Set("Www-Authenticate", "Session")
	var status any
	if s.d.loginStatus != http.StatusOK {
		status = "401 Unauthorized"
	}
	s.answer(c.w, c.r, s.d.loginStatus, value.NewMap("status", status, "return", "Please log in"))
	return nil
}

// readLogin reads the fields of a login and how long its token is to live.
func readLogin(m *value.Map) (client.Login, time.Duration, error) {
	c := lowdata.Of(m)
	l := client.Login{Eauth: c.Text("eauth"), Username: c.Text("username"), Password: c.Text("password")}
	expire, err := c.Life("token_expire")
	return l, expire, err
}

// logIn makes a token and sets it as a cookie too.
func (s *Server) logIn(c *call) error {
	if err := s.ownLogin(c.r); err != nil {
		return err
	}
	data, _, err := s.parse(c)
	if err != nil {
		return err
	}
	if _, list := data.Value.([]any); list && s.d.oneLogin {
		return refuse(http.StatusBadRequest, "a login is a map of fields, not a list")
	}
	m, err := data.Map()
	if err != nil {
		return err
	}
	l, expire, err := readLogin(m)
	if err != nil {
		return err
	}
	if l.Eauth == "" || l.Username == "" || l.Password == "" {
		if s.o.Dialect == Tornado {
			return refuse(http.StatusBadRequest, "username, password and eauth are wanted")
		}
		return errBadLogin
	}
	t, err := s.makeLogin(c, l, expire)
	if err != nil {
		return err
	}
	h := c.w.Header()
	if s.d.header {
		h.Set("X-Auth-Token", t.Token)
	}
	h.Set("Cache-Control", "no-store")
	http.SetCookie(c.w, s.cookie(t.Token, int(t.Expire.Sub(s.o.Now()).Seconds())))
	var perms any = t.Perms
	if t.Perms == nil {
		if perms = s.d.noPerms; perms == nil {
			perms = value.NewMap()
		}
	}
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", []any{value.NewMap(
		"token", t.Token, "expire", unix(t.Expire), "start", unix(t.Start), "user", t.Name, "eauth", t.Eauth, "perms", perms,
	)}))
	return nil
}

// cookie is that of a session: scripts of a page do not see it.
func (s *Server) cookie(id string, age int) *http.Cookie {
	//nolint:gosec // Secure where there is TLS: without it the cookie would not come back
	c := &http.Cookie{Name: cookieName, Value: id, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.certs != nil, SameSite: http.SameSiteLaxMode}
	if len(s.o.Origins) > 0 && s.o.Origins[0] != "*" && s.certs != nil {
		c.SameSite = http.SameSiteNoneMode // pages of the origins that are named send it
	}
	return c
}

func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// logOut ends a token, everywhere and at once.
func (s *Server) logOut(c *call) error {
	if err := s.b.RevokeToken(c.ctx, c.token.Token); err != nil {
		return err
	}
	http.SetCookie(c.w, s.cookie("", -1))
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", "Your token has been cleared"))
	return nil
}

// makeToken makes one token for each login in the body.
func (s *Server) makeToken(c *call) error {
	if err := s.ownLogin(c.r); err != nil {
		return err
	}
	data, _, err := s.parse(c)
	if err != nil {
		return err
	}
	chunks, err := data.Chunks(lowdata.Options{})
	if err != nil {
		return err
	}
	if len(chunks) > maxChunkLogins {
		return errChunkLogins
	}
	out := make([]any, 0, len(chunks))
	for _, ch := range chunks {
		l, expire, err := readLogin(ch.Fields())
		if err != nil {
			return err
		}
		t, err := s.makeLogin(c, l, expire)
		if err != nil {
			return err
		}
		out = append(out, value.NewMap("start", unix(t.Start), "expire", unix(t.Expire), "name", t.Name, "eauth", t.Eauth, "token", t.Token))
	}
	c.w.Header().Set("Cache-Control", "no-store")
	s.answer(c.w, c.r, http.StatusOK, out)
	return nil
}
