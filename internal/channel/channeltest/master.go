package channeltest

import (
	"crypto/rsa"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
)

// Handler answers one decrypted request with a value.
type Handler func(id string, load *wire.Map) any

// Rules are the parts of a master that a test can change. Each function may be nil.
type Rules struct {
	// Version is the newest request protocol the master speaks: 3 or 2.
	Version int
	// Auth decides about a sign-in: nil accepts, anything else is sent as `ret`.
	Auth func(load *wire.Map) any
	// Grant changes an accepting sign-in reply before it is signed.
	Grant func(reply *wire.Map)
	// Answer replaces the bytes of any reply; returning nil drops the request.
	Answer func(cmd string, reply []byte) []byte
	// Handle answers encrypted commands by name; others get nil, or an empty
	// map when the name begins with "_presence".
	Handle map[string]Handler
	// Pillar is the answer to `_pillar`.
	Pillar *wire.Map
	// Sign, when set, signs the master's key (master_sign_pubkey).
	Sign *crypt.KeyPair
	// SignPublications signs publications.
	SignPublications bool
	// NoSerial omits the serial of publications, as a cluster of Salt 3008 does.
	NoSerial bool
	// Filtering publishes in two frames (zmq_filtering).
	Filtering bool
}

// Master is a fake master.
type Master struct {
	tb  testing.TB
	Key *crypt.KeyPair
	log *slog.Logger

	mu       sync.Mutex
	rules    Rules
	router   *zmtp.Router
	pub      *zmtp.Pub
	ret      string // addresses, fixed after the first start
	publish  string
	shared   *crypt.Crypticle
	sessions map[string]*crypt.Crypticle
	minions  map[string]*rsa.PublicKey
	serial   int64
	seen     []*wire.Map
	changed  chan struct{}       // closed and replaced when seen or subscribers change
	peers    map[*zmtp.Peer]bool // with a subscription
	idents   []string
}

// Start starts a master that accepts everyone.
func Start(tb testing.TB, rules Rules) *Master {
	tb.Helper()
	m := &Master{
		tb: tb, Key: Key(tb, "master"), rules: rules,
		log: slog.New(slog.DiscardHandler),
		ret: "127.0.0.1:0", publish: "127.0.0.1:0", changed: make(chan struct{}),
		minions: map[string]*rsa.PublicKey{}, peers: map[*zmtp.Peer]bool{},
	}
	if m.rules.Version == 0 {
		m.rules.Version = 3
	}
	m.Up()
	tb.Cleanup(m.Down)
	return m
}

// Up binds the ports, the previous ones after a restart, with new shared and session keys.
func (m *Master) Up() {
	m.tb.Helper()
	m.mu.Lock()
	m.newShared()
	m.sessions = map[string]*crypt.Crypticle{}
	m.mu.Unlock()
	var router *zmtp.Router
	var pub *zmtp.Pub
	m.listen(func() (err error) {
		router, err = zmtp.ListenRouter(m.ret, zmtp.RouterConfig{Log: m.log}, m.serve)
		return err
	})
	m.listen(func() (err error) {
		pub, err = zmtp.ListenPub(m.publish, zmtp.PubConfig{
			Log: m.log, Filtering: m.rules.Filtering,
			OnSubscribe: func(p *zmtp.Peer, _ string) { m.subscribed(p) },
			OnClose:     func(p *zmtp.Peer, _ error) { m.unsubscribed(p) },
		})
		return err
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.router, m.pub = router, pub
	m.ret, m.publish = router.Addr().String(), pub.Addr().String()
}

// listen retries for a while: after a restart the port may not be free at once.
func (m *Master) listen(do func() error) {
	m.tb.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		err := do()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			m.tb.Fatal(err)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// Down closes all connections.
func (m *Master) Down() {
	m.mu.Lock()
	router, pub := m.router, m.pub
	m.router, m.pub = nil, nil
	m.mu.Unlock()
	if router != nil {
		_ = router.Close()
		_ = pub.Close()
	}
}

// Change alters the rules.
func (m *Master) Change(f func(r *Rules)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.rules)
}

// Rotate replaces the shared key.
func (m *Master) Rotate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.newShared()
}

// ForgetSessions discards the session keys, as a lost session folder does.
func (m *Master) ForgetSessions() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions = map[string]*crypt.Crypticle{}
}

func (m *Master) newShared() {
	c, err := crypt.ParseKey(crypt.NewKeyString())
	if err != nil {
		m.tb.Fatal(err)
	}
	m.shared, m.serial = c, 0
}

// Host is the host of the request port.
func (m *Master) Host() string { host, _ := m.split(m.addr()); return host }

// Port is the request port.
func (m *Master) Port() int { _, port := m.split(m.addr()); return port }

// Addr is host:port of the request port.
func (m *Master) Addr() string { return m.addr() }

// PublishPort is the port of publications.
func (m *Master) PublishPort() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, port := m.split(m.publish)
	return port
}

func (m *Master) addr() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ret
}

func (m *Master) split(addr string) (string, int) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		m.tb.Fatal(err)
	}
	port, err := net.LookupPort("tcp", text)
	if err != nil {
		m.tb.Fatal(err)
	}
	return strings.Trim(host, "[]"), port
}

// MovePublications makes the next Up publish on another port.
func (m *Master) MovePublications() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.publish = "127.0.0.1:0"
}
