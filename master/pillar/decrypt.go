package pillar

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// decrypt decrypts what decrypt_pillar names, in place. Values that cannot be decrypted stay and
// are reported.
func (p *pass) decrypt(ctx context.Context, pillar *value.Map) {
	cfg := p.c.cfg
	if !pyfmt.Truth(wire.Normal(cfg.DecryptPillar)) {
		return
	}
	keys, ok := decryptKeys(wire.Normal(cfg.DecryptPillar))
	if !ok {
		p.fault("decrypt_pillar config option is malformed")
		return
	}
	for _, k := range keys {
		parts := []string{k.path}
		if cfg.DecryptPillarDelimiter != "" {
			parts = strings.Split(k.path, cfg.DecryptPillarDelimiter)
		}
		if err := p.decryptAt(ctx, pillar, parts, firstOf(k.renderer, cfg.DecryptPillarDefault)); err != nil {
			p.fault(fmt.Sprintf("Failed to decrypt pillar key '%s': %v", k.path, err))
		}
	}
}

type decryptKey struct{ path, renderer string }

// decryptKeys parses a list of keys, of {key: renderer}, or a mapping of these.
func decryptKeys(v any) (out []decryptKey, ok bool) {
	ok = true
	add := func(m *value.Map) {
		m.Range(func(k, r any) bool {
			name, _ := r.(string)
			path, isText := k.(string)
			ok = ok && isText && (r == nil || name != "")
			out = append(out, decryptKey{path, name})
			return true
		})
	}
	switch v := v.(type) {
	case *value.Map:
		add(v)
	case []any:
		for _, e := range v {
			switch e := e.(type) {
			case string:
				out = append(out, decryptKey{path: e})
			case *value.Map:
				add(e)
			default:
				return nil, false
			}
		}
	default:
		return nil, false
	}
	return out, ok && len(out) > 0
}

// decryptAt decrypts the value at a path. A missing value is not an error.
func (p *pass) decryptAt(ctx context.Context, m *value.Map, parts []string, renderer string) error {
	v, ok := m.Get(parts[0])
	if !ok || v == nil {
		return nil
	}
	if len(parts) > 1 {
		below, ok := v.(*value.Map)
		if !ok {
			return nil
		}
		below = below.Clone()
		if err := p.decryptAt(ctx, below, parts[1:], renderer); err != nil {
			return err
		}
		m.Set(parts[0], below)
		return nil
	}
	valid := p.c.cfg.DecryptPillarRenderers
	switch {
	case len(valid) > 0 && !slices.Contains(valid, renderer):
		return fmt.Errorf("'%s' is not a valid decryption renderer. Valid choices are: %s", renderer, strings.Join(valid, ", "))
	case renderer != "gpg":
		return fmt.Errorf("Decryption renderer '%s' is not available; gpg is", renderer)
	case p.c.gpg == nil:
		return errors.New("this master has no secret keys: put them into gpg_keydir")
	}
	plain, err := p.opened(ctx, v)
	if err == nil {
		m.Set(parts[0], plain)
	}
	return err
}

var armored = regexp.MustCompile(`(?s)-----BEGIN PGP MESSAGE-----.*?-----END PGP MESSAGE-----`)

// opened returns v with all encrypted strings decrypted.
func (p *pass) opened(ctx context.Context, v any) (any, error) {
	switch v := v.(type) {
	case string:
		if !armored.MatchString(v) {
			return v, nil
		}
		var fault error
		out := armored.ReplaceAllStringFunc(v, func(block string) string {
			plain, err := p.c.gpg.Decrypt(ctx, []byte(block))
			if err != nil {
				fault = err
				return block
			}
			return string(plain)
		})
		return strings.TrimRight(out, "\n"), fault // a YAML block ends in a newline
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			var err error
			if out[i], err = p.opened(ctx, e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case *value.Map:
		out := value.Sized(v.Len())
		var fault error
		v.Range(func(k, e any) bool {
			var plain any
			if plain, fault = p.opened(ctx, e); fault == nil {
				out.Set(k, plain)
			}
			return fault == nil
		})
		return out, fault
	}
	return v, nil
}
