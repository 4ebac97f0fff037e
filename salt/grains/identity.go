package grains

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"

	"github.com/momtree/mom/internal/versions"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// identity returns grains about the minion itself.
func (c *collector) identity() *value.Map {
	g := value.NewMap(
		"saltversion", versions.Salt,
		"saltversioninfo", versionInfo(versions.Salt),
		"momversion", c.Version,
		"server_id", c.serverID(),
	)
	if c.Master != nil {
		g.Set("master", wire.Normal(c.Master))
	}
	if exe, err := os.Executable(); err == nil {
		g.Set("saltpath", filepath.Dir(exe))
	}
	for _, file := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id"} {
		if id := c.tree.line(file); id != "" {
			g.Set("machine_id", id)
			break
		}
	}
	return g
}

// serverID returns the number that Salt derives from the id.
func (c *collector) serverID() int64 {
	sum := sha256.Sum256([]byte(c.ID))
	return int64(binary.BigEndian.Uint32(sum[28:]) & (1<<31 - 1))
}
