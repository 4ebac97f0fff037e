package channel

import (
	"context"
	"crypto/rsa"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
)

// Result describes an accepted sign-in.
type Result struct {
	// Version is the request protocol in use: 3, or 2.
	Version int
	// PublishPort is the port for publications, as the master reports it.
	PublishPort int
	// MasterPub is the PEM text of the master's pinned key.
	MasterPub string
	// AES is the shared key string, Session the session key string ("" for protocol 2).
	AES, Session string
	// Seq counts the accepted sign-ins of the channel, from 1.
	Seq uint64
	// Changed reports whether AES differs from that of the previous sign-in.
	Changed bool
}

// Channel is the secure connection of one identity to one master. All methods
// may be called concurrently.
type Channel struct {
	cfg       Config
	log       *slog.Logger
	pair      *crypt.KeyPair
	tok       []byte // proof of identity: the fixed text "salt" under our key
	challenge string // what a master must decrypt to prove that it owns its key
	session   string
	req       requester
	signs     *trait // whether the master signs its publications
	serials   *trait // whether it numbers them

	ctx    context.Context // ends at Close
	cancel context.CancelFunc

	mu      sync.Mutex // guards what follows
	creds   *credentials
	running *attempt
	garbage suspicion
	reach   reach
}

// credentials are the keys of one accepted sign-in. They never change after
// they were stored, except for serial, which has its own lock.
type credentials struct {
	Result
	shared    *crypt.Crypticle
	private   *crypt.Crypticle // under the session key; nil for version 2
	serial    *serials
	masterKey *rsa.PublicKey
	masterSum string // its crypt.Finger
}

// requests returns the key for requests and their replies.
func (k *credentials) requests() *crypt.Crypticle {
	if k.private != nil {
		return k.private
	}
	return k.shared
}

// serials is the replay rule for publications of one shared key.
type serials struct {
	mu sync.Mutex
	crypt.Serial
}

func (s *serials) accept(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Accept(n)
}

// New checks cfg, loads or makes the key pair, and returns a channel that has
// not signed in yet. It opens no connection.
func New(cfg Config) (*Channel, error) {
	cfg = cfg.withDefaults()
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Pair == nil {
		found, err := crypt.Guard(cfg.PkiDir, false, cfg.KeyName)
		if err != nil {
			return nil, err
		}
		for _, text := range found {
			cfg.Log.Warn("key files were readable by others, mode fixed", "id", cfg.ID, "found", text)
		}
	}
	pair, tok, err := identity(cfg)
	if err != nil {
		return nil, err
	}
	c := &Channel{
		cfg: cfg, log: cfg.Log.With("master", cfg.addr()),
		pair: pair, tok: tok,
		challenge: crypt.NewKeyString(), session: wire.NewNonce(),
		req: dial(cfg),
	}
	if c.signs, err = openTrait(cfg.pinPath()+signsSuffix, cfg.addr()); err != nil {
		c.log.Warn("saved master properties unreadable: signed publications", "err", err)
	}
	//mutant:publication-serial-over-restarts
	if c.serials, err = openTrait(cfg.pinPath()+serialsSuffix, cfg.addr()); err != nil {
		c.log.Warn("saved master properties unreadable: numbered publications", "err", err)
	}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c, nil
}

// identity returns the key pair, and the proof that this process owns it.
func identity(cfg Config) (pair *crypt.KeyPair, tok []byte, err error) {
	if pair = cfg.Pair; pair == nil {
		if pair, err = crypt.EnsureKeyPairPass(cfg.PkiDir, cfg.KeyName, cfg.Keysize, cfg.KeyPass); err != nil {
			return nil, nil, fmt.Errorf("key pair of %s: %w", cfg.ID, err)
		}
	} else if cfg.Proof != nil {
		return pair, cfg.Proof, nil
	}
	if tok, err = crypt.X931Sign(pair.Private, []byte("salt")); err != nil {
		return nil, nil, fmt.Errorf("proof of identity of %s: %w", cfg.ID, err)
	}
	return pair, tok, nil
}

// Current returns the result of the last accepted sign-in; false if none was accepted yet.
func (c *Channel) Current() (Result, bool) {
	if k := c.current(); k != nil {
		return k.Result, true
	}
	return Result{}, false
}

func (c *Channel) current() *credentials {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.creds
}

// ID returns the id of the identity.
func (c *Channel) ID() string { return c.cfg.ID }

// Addr returns the host:port of the master's request port.
func (c *Channel) Addr() string { return c.cfg.addr() }

// PublicPEM returns the PEM text of the identity's own public key.
func (c *Channel) PublicPEM() string { return c.pair.PublicPEM }

// Session returns the random text that the identity's subscription sends as Identity in its
// READY, and that [Channel.Announce] reports.
func (c *Channel) Session() string { return c.session }

// Topics returns the subscriptions of this identity: everything without zmq_filtering,
// otherwise the topics of its role (Salt wire reference §2.4).
func (c *Channel) Topics(filtering bool) []string {
	switch {
	case !filtering:
		return []string{""}
	case c.cfg.Role == "syndic":
		return []string{ToAll, ToSyndics}
	default:
		return []string{ToAll, Topic(c.cfg.ID)}
	}
}

// Topics of zmq_filtering for publications to everybody, and to syndics.
const (
	ToAll     = "broadcast"
	ToSyndics = "syndic"
)

// TopicsOf returns the topics for publications to the minions ids, which may be behind nodes.
func TopicsOf(ids []string) []string {
	out := make([]string, 0, len(ids)+1)
	for _, id := range ids {
		out = append(out, Topic(id))
	}
	return append(out, ToSyndics)
}

// Topic returns the publication topic of a minion id. The id is hashed because topics match as
// prefixes.
func Topic(id string) string {
	sum := sha1.Sum([]byte(id))
	return hex.EncodeToString(sum[:])
}

// Close ends all connections. Waiting calls fail with [ErrClosed].
func (c *Channel) Close() error {
	c.cancel()
	c.mu.Lock()
	running := c.running
	c.mu.Unlock()
	c.req.Close()
	if running != nil {
		<-running.done
	}
	return nil
}

// fail returns the package's error for an operation.
func (c *Channel) fail(op string, reason error, detail, hint string) error {
	if c.ctx.Err() != nil && (errors.Is(reason, context.Canceled) || errors.Is(reason, ErrNoAnswer)) {
		reason = ErrClosed
	}
	return &Error{Op: op, ID: c.cfg.ID, Master: c.cfg.addr(), Err: reason, Detail: detail, Hint: hint}
}
