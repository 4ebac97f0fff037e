package swarm

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/wire"
)

// order is a publication, decoded once for all minions that receive it.
type order struct {
	job       *Job
	jid       string
	hash      uint64 // of the jid
	fun       string
	args      []any
	rawArgs   wire.Raw
	user      string
	masterID  string
	metadata  wire.Raw
	full      wire.Raw
	serial    int64
	hasSerial bool
	tgt       target.Expr
}

// newOrder decodes a decrypted publication. The order does not alias it.
func newOrder(plain []byte, jobs *jobs) (*order, error) {
	p, err := wire.ParsePublication(bytes.Clone(plain))
	if err != nil {
		return nil, err
	}
	tgt, err := wire.Decode(p.Tgt)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	o := &order{
		rawArgs: p.Arg, user: p.User, masterID: p.MasterID, metadata: p.Metadata, full: p.Full,
		serial: p.Serial, hasSerial: p.HasSerial,
	}
	if o.tgt, err = target.Parse(tgt, p.TgtType, target.Options{Delimiter: p.Delimiter}); err != nil {
		return nil, err
	}
	if o.fun, err = wire.Str(p.Fun); err != nil {
		return nil, fmt.Errorf("fun: a swarm supports one function per job: %w", err)
	}
	args, err := wire.Decode(p.Arg)
	if err != nil {
		return nil, fmt.Errorf("arg: %w", err)
	}
	o.args, _ = wire.AsList(args)
	if p.JID == "" {
		return nil, errors.New("no jid")
	}
	o.job, o.jid = jobs.get(p.JID, o.fun), p.JID
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.JID)) // never fails
	o.hash = h.Sum64()
	return o, nil
}

// recentOrders is how many decoded publications are kept for minions that
// lag behind.
const recentOrders = 64

// orders caches recently decoded publications, each once for all minions.
type orders struct {
	mu     sync.Mutex
	recent []read // newest last
}

type read struct {
	from  []byte // its bytes on the wire
	order *order
	err   error
}

// get returns the cached order for the same bytes, or the result of made.
func (os *orders) get(from []byte, made func() (*order, error)) (*order, error) {
	os.mu.Lock()
	defer os.mu.Unlock()
	for i := len(os.recent) - 1; i >= 0; i-- {
		if r := os.recent[i]; bytes.Equal(r.from, from) {
			return r.order, r.err
		}
	}
	r := read{from: bytes.Clone(from)}
	deep(func() { r.order, r.err = made() })
	if len(os.recent) >= recentOrders {
		os.recent = append(os.recent[:0], os.recent[1:]...)
	}
	os.recent = append(os.recent, r)
	return r.order, r.err
}

// press decrypts publications under one shared key.
type press struct {
	aes    string
	open   *crypt.Crypticle
	jobs   *jobs
	orders orders
}

// order decodes the body of a publication. It returns [crypt.ErrAuth] if the body is encrypted
// under another key.
func (p *press) order(body []byte) (*order, error) {
	return p.orders.get(body, func() (*order, error) {
		env, err := wire.ParseEnvelope(body)
		if err != nil {
			return nil, err
		}
		if env.Enc != "aes" {
			return nil, errors.New("not encrypted")
		}
		plain, err := p.open.Open(env.Cipher)
		if err != nil {
			return nil, err
		}
		return newOrder(plain, p.jobs)
	})
}
