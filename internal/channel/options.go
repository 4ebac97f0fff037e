package channel

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/zmtp"
)

// FromMinion returns the Config for a master in the options of a minion or, with role syndic,
// for a syndic's parent. master is "host", "host:port" or an IP address.
func FromMinion(o *config.Minion, role, master string) (Config, error) {
	host, port, err := SplitMaster(master, o.MasterPort)
	if err != nil {
		return Config{}, err
	}
	c := Config{
		ID: o.ID, Role: role, PkiDir: o.PkiDir, Keysize: o.Keysize,
		Host: host, Port: port, Option: "master", Dial: DialOptions(o),
		EncryptionAlgorithm:    o.EncryptionAlgorithm,
		SigningAlgorithm:       o.SigningAlgorithm,
		OpenMode:               o.OpenMode,
		VerifyMasterPubkeySign: o.VerifyMasterPubkeySign,
		AlwaysVerifySignature:  o.AlwaysVerifySignature,
		MasterSignKeyName:      o.MasterSignKeyName,
		MasterFinger:           o.MasterFinger,
		HashType:               o.HashType,
		AuthTimeout:            o.AuthTimeout,
		AuthTries:              o.AuthTries,
		AuthSafemode:           o.AuthSafemode,
		AcceptanceWaitTime:     o.AcceptanceWaitTime,
		AcceptanceWaitTimeMax:  o.AcceptanceWaitTimeMax,
		RejectedRetry:          o.RejectedRetry,
		RequestTimeout:         o.RequestChannelTimeout,
		RequestTries:           o.RequestChannelTries,
		ReturnTimeout:          o.ReturnRetryTimer,
		ReturnTimeoutMax:       o.ReturnRetryTimerMax,
		ReturnTries:            o.ReturnRetryTries,
		SignPubMessages:        o.SignPubMessages,
		MinionSignMessages:     o.MinionSignMessages,
	}
	return c, nil
}

// DialOptions returns the connection options in o. A subscription adds its Identity and its
// callbacks.
func DialOptions(o *config.Minion) zmtp.DialConfig {
	d := zmtp.DialConfig{
		SourceAddr:   o.SourceAddress,
		IPv6:         o.Ipv6,
		DialTimeout:  max(o.AuthTimeout, time.Second),
		BackoffMin:   o.ReconDefault,
		BackoffMax:   o.ReconDefault + o.ReconMax,
		BackoffPlain: !o.ReconRandomize,
		Limits: zmtp.Limits{
			MaxFrame: o.MaxFrameSize, HandshakeTimeout: o.HandshakeTimeout,
			FrameTimeout: o.FrameTimeout, StallTimeout: o.StallTimeout,
		},
	}
	d.KeepAlive = net.KeepAliveConfig{
		Enable: o.TcpKeepalive, Idle: o.TcpKeepaliveIdle,
		Interval: o.TcpKeepaliveIntvl, Count: o.TcpKeepaliveCnt,
	}
	if !o.TcpKeepalive {
		d.KeepAlive.Idle = -1
	}
	return d
}

// SplitMaster parses an entry of the option master: a name, an IPv4 or IPv6 address, each with
// or without a port. Without one, port is defaultPort.
func SplitMaster(master string, defaultPort int) (host string, port int, err error) {
	master = strings.TrimSpace(master)
	if master == "" {
		return "", 0, fmt.Errorf("master: an entry is empty: name a host, or host:port")
	}
	if strings.Count(master, ":") != 1 && !strings.HasPrefix(master, "[") {
		return master, defaultPort, nil // a name, or a bare IPv6 address
	}
	if bare, ok := strings.CutPrefix(master, "["); ok && strings.HasSuffix(bare, "]") {
		return strings.TrimSuffix(bare, "]"), defaultPort, nil
	}
	host, text, err := net.SplitHostPort(master)
	if err != nil {
		return "", 0, fmt.Errorf("master: %q: %w: use host, host:port or [ipv6]:port", master, err)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 || host == "" {
		return "", 0, fmt.Errorf("master: %q: use host, host:port or [ipv6]:port with a port from 1 to 65535", master)
	}
	return host, port, nil
}

// PublishAddr returns the address to subscribe to after a sign-in. The port is the one that the
// master reports, unless the identity's own option publish_port is set. Salt's tools write 4506
// there when it was never set (Salt wire reference §2.1).
func (c *Channel) PublishAddr(r Result, own int) string {
	port := r.PublishPort
	if own != 0 && own != 4506 {
		port = own
	}
	return net.JoinHostPort(c.cfg.Host, strconv.Itoa(port))
}
