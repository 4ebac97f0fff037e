package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// key reads the key file of the user; root and sudo use the master's own.
func (c *Client) key() (string, error) {
	name := c.o.User
	if name == "root" || strings.HasPrefix(name, "sudo_") {
		name = c.o.MasterUser
	}
	path := filepath.Join(c.o.Cachedir, "."+name+"_key")
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%w: %s may not read %s; run the command as root or as a user of publisher_acl", ErrNoKey, c.o.User, path)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: %s does not exist; is the master running, and is its cachedir %s?", ErrNoKey, path, c.o.Cachedir)
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrNoKey, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// HasKey reports whether the user of the client can read a key file on this machine.
func (c *Client) HasKey() bool {
	_, err := c.key()
	return err == nil
}

// send sends a clear command, authenticated by the login of the client or else by the user's
// key. A restarted master has a new key: after a refusal the key file is read again and the
// command is sent once more.
func (c *Client) send(ctx context.Context, load *wire.Map) (*wire.Map, error) {
	return c.sendWithin(ctx, c.o.Timeout, load)
}

// sendWithin is send with a limit of its own.
func (c *Client) sendWithin(ctx context.Context, limit time.Duration, load *wire.Map) (*wire.Map, error) {
	reply, err := c.sendRaw(ctx, limit, load)
	if err != nil {
		return nil, err
	}
	m, err := reply.Map()
	if err != nil {
		return nil, fmt.Errorf("answer to %s: %w", load.String("cmd"), err)
	}
	return m, nil
}

// sendRaw is sendWithin without decoding the answer, which is a map.
func (c *Client) sendRaw(ctx context.Context, limit time.Duration, load *wire.Map) (Raw, error) {
	if c.login != nil {
		c.vouch(load, c.login)
		c.login.put(load)
		load.Set("user", c.o.User)
		reply, refused, err := c.askRaw(ctx, limit, load)
		if err == nil && refused != nil {
			err = refused
		}
		return reply, err
	}
	last := ""
	var refused *Refused
	for {
		key, err := c.key()
		if err != nil {
			return nil, err
		}
		if refused != nil && key == last {
			return nil, refused
		}
		load.Set("key", key)
		load.Set("user", c.o.User)
		again := refused != nil
		var reply Raw
		if reply, refused, err = c.askRaw(ctx, limit, load); err != nil || refused == nil {
			return reply, err
		}
		if again || !strings.Contains(refused.Name, "Authentication") {
			return nil, refused
		}
		last = key
	}
}

// askRaw sends one clear request. The answer is a map, not decoded, or a refusal.
func (c *Client) askRaw(ctx context.Context, limit time.Duration, load *wire.Map) (Raw, *Refused, error) {
	b, err := c.askBytes(ctx, limit, load)
	if err != nil {
		return nil, nil, err
	}
	if wire.KindOf(b) != wire.Dict {
		return nil, nil, notMap(load, b)
	}
	e, err := Raw(b).Field("error")
	if err != nil {
		return nil, nil, fmt.Errorf("answer to %s: %w", load.String("cmd"), err)
	}
	if e == nil {
		return Raw(b), nil, nil
	}
	v, err := e.Decode()
	if err != nil {
		return nil, nil, fmt.Errorf("answer to %s: %w", load.String("cmd"), err)
	}
	return Raw(b), refusedOf(wire.NewMap("error", v)), nil
}

// notMap is the error of an answer that is not a map.
func notMap(load *wire.Map, answer []byte) error {
	v, err := wire.Decode(answer)
	if err != nil {
		return fmt.Errorf("answer to %s: %w", load.String("cmd"), err)
	}
	if text, ok := v.(string); ok {
		return fmt.Errorf("the master refused %s: %s", load.String("cmd"), text)
	}
	return fmt.Errorf("answer to %s is neither a map nor text", load.String("cmd"))
}

// refusedOf parses the refusal in a reply: name and message, or a text.
func refusedOf(reply *wire.Map) *Refused {
	if e := reply.Map("error"); e != nil {
		return &Refused{Name: e.String("name"), Message: e.String("message")}
	}
	if text := reply.String("error"); text != "" {
		return &Refused{Name: "SaltClientError", Message: text}
	}
	return nil
}

// ask sends a clear request and parses the map in the reply.
func (c *Client) ask(ctx context.Context, load *wire.Map) (*wire.Map, error) {
	b, err := c.askBytes(ctx, c.o.Timeout, load)
	if err != nil {
		return nil, err
	}
	if wire.KindOf(b) != wire.Dict {
		return nil, notMap(load, b)
	}
	m, err := wire.DecodeMap(b)
	if err != nil {
		return nil, fmt.Errorf("answer to %s: %w", load.String("cmd"), err)
	}
	return m, nil
}

// askLoad sends a clear request and decodes the reply within limit.
func (c *Client) askLoad(ctx context.Context, limit time.Duration, load *wire.Map) (any, error) {
	b, err := c.askBytes(ctx, limit, load)
	if err != nil {
		return nil, err
	}
	v, err := wire.Decode(b)
	if err != nil {
		return nil, fmt.Errorf("answer to %s: %w", load.String("cmd"), err)
	}
	return v, nil
}

// askBytes sends one clear request and returns the answer.
func (c *Client) askBytes(ctx context.Context, limit time.Duration, load *wire.Map) ([]byte, error) {
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", load.String("cmd"), err)
	}
	// With a version, a master with minimum_auth_version does not refuse its own users.
	body, err := wire.Envelope{Enc: "clear", Load: raw, Version: 3, HasVersion: true}.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", load.String("cmd"), err)
	}
	c.o.Log.Debug("master request", "cmd", load.String("cmd"), "fun", load.String("fun"), "addr", c.o.Addr)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	b, err := c.req.Do(ctx, body)
	if errors.Is(err, zmtp.ErrClosed) {
		return nil, fmt.Errorf("%s: the client: %w", load.String("cmd"), ErrClosed)
	}
	if err != nil {
		return nil, fmt.Errorf("%w at %s (%s): %w", ErrUnreachable, c.o.Addr, load.String("cmd"), err)
	}
	return b, nil
}
