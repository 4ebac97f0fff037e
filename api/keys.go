package api

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// keyCaller calls wheel functions for a user; see [Session].
type keyCaller interface {
	Wheel(ctx context.Context, fun string, kwargs map[string]any) (client.WheelAnswer, error)
}

// keyHandler serves /keys.
type keyHandler struct {
	as      func(client.Login) keyCaller
	origins *origins
	tokens  *tokenChecker
	bodies  *bodyReader
	logins  *verifier
	time    time.Duration // bounds a call of the master
	now     func() time.Time
}

// wheel calls a wheel function under a login and returns its value.
func (h *keyHandler) wheel(ctx context.Context, l client.Login, fun string, kwargs *value.Map) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, h.time)
	defer cancel()
	a, err := h.as(l).Wheel(ctx, fun, map[string]any{"arg": []any{}, "kwarg": kwargs})
	if err != nil {
		return nil, err
	}
	data, err := a.Data.Map()
	if err != nil {
		return nil, err
	}
	v, _ := data.Get("return")
	if !data.Bool("success") {
		return nil, Refuse(http.StatusInternalServerError, fmt.Sprintf("wheel %s failed: %v", fun, v))
	}
	return v, nil
}

// list lists the keys by their state.
func (h *keyHandler) list(c *call) error {
	v, err := h.wheel(c.ctx, client.Login{Token: c.token.Token}, "key.list_all", value.NewMap())
	if err != nil {
		return err
	}
	c.answer(http.StatusOK, value.NewMap("return", v))
	return nil
}

// show shows the fingerprint of a key.
func (h *keyHandler) show(c *call) error {
	v, err := h.wheel(c.ctx, client.Login{Token: c.token.Token}, "key.finger", value.NewMap("match", c.r.PathValue("id")))
	if err != nil {
		return err
	}
	c.answer(http.StatusOK, value.NewMap("return", v))
	return nil
}

// generate makes a pair of keys for a minion, accepts it at the master, and answers with a tar of
// both keys.
func (h *keyHandler) generate(c *call) error {
	ok, err := h.tokens.identify(c)
	if err != nil {
		return err
	}
	if !ok {
		if err := h.origins.checkLogin(c.r); err != nil {
			return err
		}
	}
	data, _, err := h.bodies.read(c)
	if err != nil {
		return err
	}
	m, err := data.Map()
	if err != nil {
		return err
	}
	ch := lowdata.Of(m)
	l, own := ch.Login()
	switch {
	case !own && !ok:
		return errNoSession
	case !own:
		l = client.Login{Token: c.token.Token}
	default:
		checked := h.logins.verify(c, []client.Login{l})
		defer checked.end()
		if err := checked.errs[0]; err != nil {
			return err
		}
		l = checked.logins[0]
	}
	id := ch.Text("mid")
	//mutant:api-key-names
	if !fileName(id) {
		return Refuse(http.StatusBadRequest, "mid is the id of a minion: only letters, digits and . _ - @")
	}
	kwargs, err := keyOptions(id, ch)
	if err != nil {
		return err
	}
	v, err := h.wheel(c.ctx, l, "key.gen_accept", kwargs)
	if err != nil {
		return err
	}
	pair, ok := v.(*value.Map)
	if !ok || pair.String("pub") == "" || pair.String("priv") == "" {
		return Refuse(http.StatusConflict, "A key with this id exists; send force=True to replace it")
	}
	b, err := tarOf(pair, h.now())
	if err != nil {
		return err
	}
	head := c.w.Header()
	head.Set("Content-Type", "application/x-tar")
	head.Set("Content-Disposition", `attachment; filename="saltkeys-`+id+`.tar"`)
	head.Set("Cache-Control", "no-store")
	c.write(http.StatusOK, b)
	return nil
}

// keyOptions returns the arguments of key.gen_accept: id, size, and whether to replace a key.
func keyOptions(id string, ch lowdata.Chunk) (*value.Map, error) {
	kwargs := value.NewMap("id_", id)
	if ch.Has("keysize") {
		size, err := ch.Count("keysize", 0)
		if err != nil {
			return nil, err
		}
		if size < 2048 || size > 8192 {
			return nil, Refuse(http.StatusBadRequest, "keysize must be from 2048 to 8192 bits")
		}
		kwargs.Set("keysize", size)
	}
	force, err := ch.Flag("force")
	if err != nil {
		return nil, err
	}
	if force {
		kwargs.Set("force", true)
	}
	return kwargs, nil
}

func tarOf(pair *value.Map, now time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range []struct {
		name, field string
		mode        int64
	}{{"minion.pub", "pub", 0o644}, {"minion.pem", "priv", 0o600}} {
		text := pair.String(f.field)
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(text)), ModTime: now, Typeflag: tar.TypeReg}); err != nil {
			return nil, fmt.Errorf("write tar of keys: %w", err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return nil, fmt.Errorf("write tar of keys: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write tar of keys: %w", err)
	}
	return b.Bytes(), nil
}

// fileName reports whether an id may be part of a file name and of a header.
func fileName(id string) bool {
	return id != "" && len(id) <= 255 && id[0] != '.' && !strings.ContainsFunc(id, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._-@", c)
	})
}
