package api

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/momtree/mom/api/lowdata"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

// wheelReturn calls a wheel function for a route and gives what it returned.
func (s *Server) wheelReturn(ctx context.Context, ses Session, fun string, kwargs *value.Map) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, s.o.RunnerTime)
	defer cancel()
	a, err := ses.Wheel(ctx, fun, map[string]any{"arg": []any{}, "kwarg": kwargs})
	if err != nil {
		return nil, err
	}
	data, err := a.Data.Map()
	if err != nil {
		return nil, err
	}
	v, _ := data.Get("return")
	if !data.Bool("success") {
		return nil, refuse(http.StatusInternalServerError, fmt.Sprintf("wheel %s failed: %v", fun, v))
	}
	return v, nil
}

// keys lists the keys by their state.
func (s *Server) keys(c *call) error {
	v, err := s.wheelReturn(c.ctx, s.session(c.token), "key.list_all", value.NewMap())
	if err != nil {
		return err
	}
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", v))
	return nil
}

// key shows the fingerprint of one.
func (s *Server) key(c *call) error {
	v, err := s.wheelReturn(c.ctx, s.session(c.token), "key.finger", value.NewMap("match", c.r.PathValue("id")))
	if err != nil {
		return err
	}
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", v))
	return nil
}

// makeKeys makes a pair of keys for a minion, has the master accept it, and answers with a
// tar of both halves.
func (s *Server) makeKeys(c *call) error {
	t, ok, err := s.maybeHolder(c)
	if err != nil {
		return err
	}
	if !ok {
		if err := s.ownLogin(c.r); err != nil {
			return err
		}
	}
	data, _, err := s.parse(c)
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
		l = client.Login{Token: t.Token}
	default:
		shown := s.verify(c, []client.Login{l})
		defer shown.end()
		if err := shown.errs[0]; err != nil {
			return err
		}
		l = shown.logins[0]
	}
	id := ch.Text("mid")
	//mutant:api-key-names
	if !fileName(id) {
		return refuse(http.StatusBadRequest, "mid is the id of a minion: letters, digits and . _ - @ alone")
	}
	kwargs := value.NewMap("id_", id)
	if ch.Has("keysize") {
		size, err := ch.Count("keysize", 0)
		if err != nil {
			return err
		}
		if size < 2048 || size > 8192 {
			return refuse(http.StatusBadRequest, "keysize has to be from 2048 to 8192 bits")
		}
		kwargs.Set("keysize", size)
	}
	force, err := ch.Flag("force")
	if err != nil {
		return err
	}
	if force {
		kwargs.Set("force", true)
	}
	v, err := s.wheelReturn(c.ctx, s.b.As(l), "key.gen_accept", kwargs)
	if err != nil {
		return err
	}
	pair, ok := v.(*value.Map)
	if !ok || pair.String("pub") == "" || pair.String("priv") == "" {
		return refuse(http.StatusConflict, "There is a key of this id already; send force=True to replace it")
	}
	b, err := s.tarOf(pair)
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/x-tar")
	h.Set("Content-Disposition", `attachment; filename="saltkeys-`+id+`.tar"`)
	h.Set("Cache-Control", "no-store")
	s.write(c.w, c.r, http.StatusOK, b)
	return nil
}

func (s *Server) tarOf(pair *value.Map) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range []struct {
		name, field string
		mode        int64
	}{{"minion.pub", "pub", 0o644}, {"minion.pem", "priv", 0o600}} {
		text := pair.String(f.field)
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(text)), ModTime: s.o.Now(), Typeflag: tar.TypeReg}); err != nil {
			return nil, fmt.Errorf("write the tar of keys: %w", err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			return nil, fmt.Errorf("write the tar of keys: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write the tar of keys: %w", err)
	}
	return b.Bytes(), nil
}

// fileName tells whether an id can stand in the name of a file, and in a header.
func fileName(id string) bool {
	return id != "" && len(id) <= 255 && id[0] != '.' && !strings.ContainsFunc(id, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._-@", c)
	})
}
