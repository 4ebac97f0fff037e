package hostile

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/momtree/mom/api"
	apibackend "github.com/momtree/mom/api/backend"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/bus"
	"github.com/momtree/mom/internal/waiting"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/commands"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/peercall"
	"github.com/momtree/mom/master/pillar"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/master/telemetry"
	"github.com/momtree/mom/master/wheels"
)

// address is where request servers listen.
const address = "127.88.0.1"

// entrances are where calls come in: a request server at each tier of ours, and the REST API in
// both dialects in front of the top.
type entrances struct {
	t       testing.TB
	w       *world
	servers map[string]*zmtp.Req
	routers []*zmtp.Router
	top     string // where the top listens
	hosts   []*runners.Host
	client  *client.Client
	apis    map[api.Dialect]*api.Server
}

// openEntrances has the masters of a tree served until the test ends, or its world is left.
func (w *world) openEntrances(t testing.TB) {
	t.Helper()
	d := &entrances{t: t, w: w, servers: map[string]*zmtp.Req{}, apis: map[api.Dialect]*api.Server{}}
	w.doors = d
	d.serve(t, w.top, nil)
	d.client = client.New(client.Options{Addr: d.top, User: "nobody", Cachedir: t.TempDir(), Log: quiet})
	t.Cleanup(func() { _ = d.client.Close() })
	for _, dialect := range []api.Dialect{api.CherryPy, api.Tornado} {
		s, err := api.New(api.Options{
			Dialect: dialect, Host: address, DisableTLS: true, Log: quiet,
			Clients: []string{"local", "local_async", "local_subset", "runner", "runner_async", "wheel", "wheel_async"},
		}, backend{Local: apibackend.Local{Client: d.client}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		d.apis[dialect] = s
	}
}

// serve opens the request server of a master, and those below it.
func (d *entrances) serve(t testing.TB, x *tier, above *tier) {
	t.Helper()
	if x.salts {
		return
	}
	ctx := t.Context()
	srv := server.New(server.Options{
		Ctx: ctx, Depth: x.cfg.Bounds.Depth, WorkValues: x.cfg.Bounds.WorkValues, Waiting: x.cfg.Bounds.SignIns, Turns: x.keys.Turns,
		Keys: x.keys, Sessions: x.keys.Sessions, Toks: x.keys.Toks, Shared: x.keys.Shared, User: func(string) (string, bool) { return "", false }, Own: own,
		Logins: access.Logins{Auth: logins{}, Rules: x.control.External}, Node: x.policy.IsNode,
		Stats: &telemetry.Counters{}, Log: quiet, Now: time.Now,
	})
	host := runners.NewHost(runners.NewCalls(runners.CallsOptions{
		Ctx: ctx, ID: x.id, MaxEvent: 1 << 20, Depth: x.cfg.Bounds.Depth,
		Fire: func(string, *wire.Map) {}, Store: noReturns{}, Log: quiet, Now: time.Now,
	}), func(access.Owner) runners.Env { return nil })
	d.hosts = append(d.hosts, host)
	x.service.Serve(srv)
	commands.AddTo(&commands.Parts{
		Config: x.cfg, Server: srv, User: own, Keys: x.keys, Pillars: &pillar.Service{}, Access: x.control, Audit: func(access.Asked) {}, Runners: host,
		Wheels: wheels.Host{Fire: func(string, *wire.Map) {}, Now: time.Now}, JIDs: x.jids, Log: quiet, Now: time.Now, Fire: func(string, *wire.Map) {},
	})
	peercall.New(peercall.Options{
		Bounds: x.cfg.Bounds, Rules: x.control.Peers, Own: own, Publish: x.service.PublishPeer, State: func(string) (engine.Account, bool) { return engine.Account{}, false },
		Above: upLink{d, x, above}, Owns: func(node, id string) bool { return slices.Contains(x.behind(node), id) }, Runners: host, JID: x.jids.Next, Bus: bus.New(time.Now),
		Audit: func(access.Asked) {}, Trespassed: func(ownership.Trespass) {}, Log: quiet,
	}).Serve(srv)
	srv.Open()
	router, err := zmtp.ListenRouter(address+":0", zmtp.RouterConfig{Log: quiet}, srv.Receive)
	if err != nil {
		t.Fatal(err)
	}
	req := zmtp.NewReq(router.Addr().String(), zmtp.DialConfig{Log: quiet})
	d.servers[x.id] = req
	d.routers = append(d.routers, router)
	if above == nil {
		d.top = router.Addr().String()
	}
	t.Cleanup(func() {
		_ = req.Close()
		_ = router.Close()
		srv.Close()
		host.Close()
	})
	for _, b := range x.below {
		d.serve(t, b, x)
	}
}

// behind lists the minions of a node right below and of all behind it.
func (x *tier) behind(node string) (out []string) {
	b := x.below[node]
	if b == nil {
		return nil
	}
	for _, m := range b.minions {
		out = append(out, m.id)
	}
	for id := range b.below {
		out = append(out, b.behind(id)...)
	}
	return out
}

// clear sends a clear command to the top.
func (d *entrances) clear(load *wire.Map) (*wire.Map, error) {
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	return d.ask("top", wire.Envelope{Enc: "clear", Load: raw, Version: 3})
}

func (d *entrances) ask(master string, e wire.Envelope) (*wire.Map, error) {
	b, err := d.send(master, e)
	if err != nil {
		return nil, err
	}
	return wire.DecodeMap(b)
}

func (d *entrances) send(master string, e wire.Envelope) ([]byte, error) {
	body, err := e.Encode()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(d.w.ctx, time.Minute)
	defer cancel()
	return d.servers[master].Do(ctx, body)
}

// sealed sends a command of a peer to its master, and gives what that answers.
func (d *entrances) sealed(master *tier, id string, load *wire.Map) (any, error) {
	const nonce = "0123456789abcdef0123456789abcdef"
	load = load.Clone()
	load.Set("id", id)
	load.Set("tok", master.tok)
	load.Set("nonce", nonce)
	raw, err := wire.Encode(load)
	if err != nil {
		return nil, err
	}
	frame, err := master.keys.Shared.Current().Seal("", raw)
	if err != nil {
		return nil, err
	}
	b, err := d.send(master.id, wire.Envelope{Enc: "aes", Cipher: frame, Version: 2})
	if err != nil {
		return nil, err
	}
	v, err := wire.Decode(b)
	if err != nil {
		return nil, err
	}
	var answer []byte
	switch v := v.(type) {
	case []byte:
		answer = v
	case string:
		answer = []byte(v)
	default:
		return nil, fmt.Errorf("the answer to %s is %v", load.String("cmd"), v)
	}
	plain, err := master.keys.Shared.Current().OpenNonce(answer, nonce)
	if err != nil {
		return nil, err
	}
	return wire.Decode(plain)
}

// upLink is how a node asks the master above for a minion.
type upLink struct {
	d     *entrances
	self  *tier
	above *tier
}

func (u upLink) Connected() bool { return u.above != nil }

func (u upLink) Call(_ context.Context, load *wire.Map) (any, error) {
	return u.d.sealed(u.above, u.self.id, load)
}

// rest waits until every request is answered and no runner is at work.
func (d *entrances) rest() {
	for _, r := range d.routers {
		waiting.Until(d.t, "the last reply", func() bool {
			s := r.Stats()
			return s.Requests == s.Replies+s.LostReplies+s.Dropped
		})
	}
	for _, h := range d.hosts {
		h.Close()
	}
}

// backend is the top as the REST API sees it. It does not wait for the ends of jobs: nobody
// answers here.
type backend struct{ apibackend.Local }

func (backend) Token(_ context.Context, id string) (api.Token, error) {
	name, ok := userOfToken(id)
	if !ok {
		return api.Token{}, api.ErrNoToken
	}
	return api.Token{Token: id, Name: name, Eauth: eauth, Expire: time.Now().Add(time.Hour)}, nil
}

// MakeToken makes the token of a user with the right password, for a login in a chunk.
func (b backend) MakeToken(ctx context.Context, l client.Login, _ time.Duration) (api.Token, error) {
	if l.Password != password || l.Eauth != eauth {
		return api.Token{}, api.ErrNoToken
	}
	return b.Token(ctx, tokenOf(l.Username))
}

// RevokeToken leaves tokens as they are: they are names.
func (backend) RevokeToken(context.Context, string) error { return nil }

func (b backend) As(l client.Login) api.Session { return session{b.Local.As(l)} }

// session starts what it is to wait for.
type session struct{ api.Session }

func (s session) Run(ctx context.Context, j client.Job) (client.Outcome, error) {
	p, err := s.Publish(ctx, j)
	return client.Outcome{Published: p}, err
}

func (s session) Subset(_ context.Context, j client.Job, _ int) (client.Job, error) { return j, nil }

func (s session) Runner(ctx context.Context, call client.RunnerCall) (client.Raw, error) {
	_, err := s.StartRunner(ctx, call)
	if err != nil {
		return nil, err
	}
	return client.RawOf(true)
}
