package channel

import (
	"context"
	"fmt"
	"net"

	"github.com/momtree/mom/internal/sibling"
	"github.com/momtree/mom/internal/wire"
)

// Siblings asks the master where this identity may go when the master is gone. It adds fields
// to the request (see [sibling.Command]). known is false if the master does not know the
// command, or does not answer it.
func (c *Channel) Siblings(ctx context.Context, fields *wire.Map) (reply *wire.Map, known bool, err error) {
	load := wire.NewMap("cmd", sibling.Command, "id", c.cfg.ID, "role", c.cfg.Role)
	for _, k := range fields.Keys() {
		if name, ok := k.(string); ok {
			v, _ := fields.Get(name)
			load.Set(name, v)
		}
	}
	raw, err := c.Request(ctx, load)
	if err != nil {
		return nil, false, err
	}
	reply, err = wire.DecodeMap(raw)
	if err != nil {
		return nil, false, fmt.Errorf("siblings of %s: %w", c.cfg.addr(), err)
	}
	return reply, reply.Len() > 0, nil
}

// Visit returns c changed for a sibling of the master, whose key is known beforehand, with a
// voucher for our key. It writes the sibling's key to pki_dir.
func (c Config) Visit(n sibling.Node, voucher []byte) (Config, error) {
	c.Host, c.Port, c.Option = n.Host, n.Port, ""
	c.Voucher = voucher
	c.MasterFinger = "" // it is the home's; the sibling's key came from there
	c.PinName = "sibling." + pinSafe(n.ID) + ".pub"
	p, err := newPin(n.Pub)
	if err != nil {
		return c, fmt.Errorf("key of sibling %s: %w", n.ID, err)
	}
	if have, err := loadPin(c.pinPath()); err == nil && have != nil && have.same(n.Pub) {
		return c, nil
	}
	return c, p.save(c.pinPath())
}

// pinSafe makes an id usable in a file name.
func pinSafe(id string) string {
	b := []byte(id)
	for i, ch := range b {
		if ch == '/' || ch == '\\' || ch == 0 || ch == ':' {
			b[i] = '_'
		}
	}
	return string(b)
}

// Listens reports whether anything listens at the master's request port. It is cheaper than a
// sign-in and returns at once if the process is gone.
func (c *Channel) Listens(ctx context.Context) bool {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", c.cfg.addr())
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}
