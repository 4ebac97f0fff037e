package api

import (
	"net/http"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// loginHandler serves /login, /logout, /token, /whoami and the welcome.
type loginHandler struct {
	rules   dialectRules
	origins *origins
	bodies  *bodyReader
	logins  *loginQueue
	master  tokenRevoker
	// secure marks cookies as such: the listener has TLS.
	secure bool
	now    func() time.Time
}

// welcome lists the clients, as in Salt including those that are not enabled.
func (h *loginHandler) welcome(c *call) error {
	m := value.NewMap("return", "Welcome", "clients", h.rules.clients)
	if h.rules.name == Tornado {
		m = value.NewMap("clients", h.rules.clients, "return", "Welcome")
	}
	c.answer(http.StatusOK, m)
	return nil
}

// prompt serves GET /login.
func (h *loginHandler) prompt(c *call) error {
	c.w.Header().Set("Www-Authenticate", "Session")
	var status any
	if h.rules.loginStatus != http.StatusOK {
		status = "401 Unauthorized"
	}
	c.answer(h.rules.loginStatus, value.NewMap("status", status, "return", "Please log in"))
	return nil
}

// readLogin reads the fields of a login and the life of its token.
func readLogin(m *value.Map) (client.Login, time.Duration, error) {
	c := lowdata.Of(m)
	l := client.Login{Eauth: c.Text("eauth"), Username: c.Text("username"), Password: c.Text("password")}
	expire, err := c.Life("token_expire")
	return l, expire, err
}

// logIn makes a token and sets it as a cookie too.
func (h *loginHandler) logIn(c *call) error {
	if err := h.origins.checkLogin(c.r); err != nil {
		return err
	}
	data, _, err := h.bodies.read(c)
	if err != nil {
		return err
	}
	if _, list := data.Value.([]any); list && h.rules.oneLogin {
		return Refuse(http.StatusBadRequest, "a login is a map of fields, not a list")
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
		if h.rules.name == Tornado {
			return Refuse(http.StatusBadRequest, "a login needs username, password and eauth")
		}
		return errBadLogin
	}
	t, err := h.logins.login(c, l, expire)
	if err != nil {
		return err
	}
	head := c.w.Header()
	if h.rules.header {
		head.Set("X-Auth-Token", t.Token)
	}
	head.Set("Cache-Control", "no-store")
	http.SetCookie(c.w, h.cookie(t.Token, int(t.Expire.Sub(h.now()).Seconds())))
	c.answer(http.StatusOK, value.NewMap("return", []any{value.NewMap(
		"token", t.Token, "expire", unix(t.Expire), "start", unix(t.Start), "user", t.Name, "eauth", t.Eauth, "perms", h.perms(t),
	)}))
	return nil
}

// perms returns the rules of a token as Salt shows them.
func (h *loginHandler) perms(t Token) any {
	switch {
	case t.Perms != nil:
		return t.Perms
	case h.rules.noPerms != nil:
		return h.rules.noPerms
	}
	return value.NewMap()
}

// cookie returns the cookie of a session, which the scripts of a page cannot read.
func (h *loginHandler) cookie(id string, age int) *http.Cookie {
	//nolint:gosec // Secure only under TLS: otherwise the browser would not send the cookie back
	c := &http.Cookie{Name: cookieName, Value: id, Path: "/", MaxAge: age, HttpOnly: true, Secure: h.secure, SameSite: http.SameSiteLaxMode}
	if names := h.origins.names; len(names) > 0 && names[0] != "*" && h.secure {
		c.SameSite = http.SameSiteNoneMode // pages of the named origins send it
	}
	return c
}

// logOut revokes the token.
func (h *loginHandler) logOut(c *call) error {
	if err := h.master.RevokeToken(c.ctx, c.token.Token); err != nil {
		return err
	}
	http.SetCookie(c.w, h.cookie("", -1))
	c.answer(http.StatusOK, value.NewMap("return", "Your token has been cleared"))
	return nil
}

// makeTokens makes a token for each login in the body.
func (h *loginHandler) makeTokens(c *call) error {
	if err := h.origins.checkLogin(c.r); err != nil {
		return err
	}
	data, _, err := h.bodies.read(c)
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
		t, err := h.logins.login(c, l, expire)
		if err != nil {
			return err
		}
		out = append(out, value.NewMap("start", unix(t.Start), "expire", unix(t.Expire), "name", t.Name, "eauth", t.Eauth, "token", t.Token))
	}
	c.w.Header().Set("Cache-Control", "no-store")
	c.answer(http.StatusOK, out)
	return nil
}

// whoAmI shows the user of a token, its expiry and its rules. Gateways use it to look up tokens.
func (h *loginHandler) whoAmI(c *call) error {
	t := c.token
	groups, perms := t.Groups, t.Perms
	if groups == nil {
		groups = []string{}
	}
	if perms == nil {
		perms = []any{}
	}
	c.answer(http.StatusOK, value.NewMap("return", []any{value.NewMap(
		"user", t.Name, "eauth", t.Eauth, "start", unix(t.Start), "expire", unix(t.Expire), "perms", perms, "groups", groups,
	)}))
	return nil
}
