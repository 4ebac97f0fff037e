package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// fake is a master with two minions of its own and some below, and five users.
type fake struct {
	mu        sync.Mutex
	tokens    map[string]Token
	fired     []client.Event
	published []client.Job
	traces    []string // the trace that each belongs to
	runners   []client.RunnerCall
	jobs      map[string]*value.Map // records by job id
	owner     map[string]string     // of jobs
	asked     []string              // jobs whose user was asked for
	mute      bool                  // it cannot be asked for their users
	unsure    error                 // error of that question
	serial    int
	down      error                 // error of every call
	events    chan client.Event     // of the bus
	breaks    chan struct{}         // breaks the bus
	hold      chan struct{}         // Run waits for it
	trees     []string              // users who have read the tree
	holdTree  chan struct{}         // Tree waits for it
	follow    chan client.Update    // of a followed job
	trimmed   map[string]client.Raw // whole values of returns whose events were trimmed
	now       func() time.Time
}

func newFake() *fake {
	return &fake{
		tokens: map[string]Token{}, jobs: map[string]*value.Map{}, owner: map[string]string{}, events: make(chan client.Event), breaks: make(chan struct{}), now: time.Now,
		trimmed: map[string]client.Raw{},
	}
}

var passwords = map[string]string{"alice/file": "wonder", "bob/file": "builder", "carol/file": "c", "frank/sharedsecret": "s3cret"}

var perms = map[string][]any{
	"alice": {".*", "@jobs", "@runner", "@wheel"}, "bob": {value.NewMap("web-*", []any{"test.*"})}, "carol": {"@runner"}, "erin": {"test.ping"},
	"dave": {".*", "@runner", "@wheel"}, "frank": {".*", "@runner"},
}

var minionIDs = []string{"cache-01", "db-01", "top-01", "web-01", "web-02", "web-03"}

func refusal(name, text string) error { return &client.Refused{Name: name, Message: text} }

// token makes a token for a user.
func (f *fake) token(name string, life time.Duration) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.serial++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", name, f.serial))
	id := hex.EncodeToString(sum[:])
	eauth := "file"
	if name == "nobody" || name == "dave" {
		eauth = "auto"
	} else if name == "frank" {
		eauth = "sharedsecret"
	}
	f.tokens[id] = Token{Token: id, Name: name, Eauth: eauth, Start: f.now(), Expire: f.now().Add(life), Perms: perms[name]}
	return id
}

func (f *fake) Ping(context.Context) error { return f.down }

func (f *fake) check(l client.Login) error {
	want, ok := passwords[l.Username+"/"+l.Eauth]
	if l.Eauth == "auto" || (ok && want == l.Password) {
		return nil
	}
	return refusal("EauthAuthenticationError", "Authentication failure of type \"eauth\" occurred for user "+l.Username+".")
}

func (f *fake) MakeToken(_ context.Context, l client.Login, expire time.Duration) (Token, error) {
	if f.down != nil {
		return Token{}, f.down
	}
	if err := f.check(l); err != nil {
		return Token{}, err
	}
	if expire == 0 {
		expire = 12 * time.Hour
	}
	id := f.token(l.Username, expire)
	return f.tokens[id], nil
}

func (f *fake) Token(_ context.Context, id string) (Token, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t, ok := f.tokens[id]
	switch {
	case f.down != nil:
		return Token{}, f.down
	case !ok || !f.now().Before(t.Expire):
		return Token{}, ErrNoToken
	}
	return t, nil
}

func (f *fake) RevokeToken(_ context.Context, id string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.tokens, id)
	return f.down
}

func (f *fake) Events(context.Context) (Events, error) {
	if f.down != nil {
		return nil, f.down
	}
	return fakeEvents{f}, nil
}

type fakeEvents struct{ f *fake }

func (e fakeEvents) Next(ctx context.Context) (client.Event, error) {
	select {
	case ev := <-e.f.events:
		return ev, nil
	case <-e.f.breaks:
		return client.Event{}, client.ErrBusLost
	case <-ctx.Done():
		return client.Event{}, ctx.Err()
	}
}

func (e fakeEvents) Close() error { return nil }

func (f *fake) Fire(_ context.Context, tag string, data any) error {
	raw, err := client.RawOf(data)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fired = append(f.fired, client.Event{Tag: tag, Data: raw})
	return f.down
}

func (f *fake) JobUsers(_ context.Context, jids []string) (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, jids...)
	if f.mute {
		return nil, client.ErrNotReported
	}
	out := map[string]string{}
	for _, id := range jids {
		if user, known := f.owner[id]; known { // all of them have logged in
			user = "file/" + user
			out[id] = user
		}
	}
	return out, f.unsure
}

func (f *fake) As(l client.Login) Session { return &fakeSession{f: f, l: l} }

type fakeSession struct {
	f *fake
	l client.Login
}

// who is the user of the session.
func (s *fakeSession) who(ctx context.Context) (string, error) {
	if s.f.down != nil {
		return "", s.f.down
	}
	if s.l.Token != "" {
		t, err := s.f.Token(ctx, s.l.Token)
		if err != nil {
			return "", refusal("TokenAuthenticationError", "Authentication error occurred.")
		}
		return t.Name, nil
	}
	if err := s.f.check(s.l); err != nil {
		return "", refusal("AuthenticationError", "Authentication error occurred.")
	}
	return s.l.Username, nil
}

func (s *fakeSession) matches(j client.Job) []string {
	var out []string
	for _, id := range minionIDs {
		switch tgt := j.Tgt.(type) {
		case string:
			names := []string{tgt}
			if j.TgtType == "list" {
				names = strings.Split(tgt, ",")
			}
			for _, n := range names {
				if ok, _ := path.Match(n, id); ok {
					out = append(out, id)
				}
			}
		case []string:
			for _, n := range tgt {
				if n == id {
					out = append(out, id)
				}
			}
		}
	}
	return out
}

func mayStart(name, tgt, fun string) bool {
	return name == "alice" || name == "bob" && strings.HasPrefix(tgt, "web-") && strings.HasPrefix(fun, "test.")
}

func (s *fakeSession) Publish(ctx context.Context, j client.Job) (client.Published, error) {
	if j.Tgt == "nobody" { // of a master without nodes
		return client.Published{}, client.ErrNoMatch
	}
	name, err := s.who(ctx)
	if err != nil {
		return client.Published{}, err
	}
	tgt, _ := j.Tgt.(string)
	if !mayStart(name, tgt, j.Fun[0]) {
		return client.Published{}, refusal("AuthorizationError", "Authorization error occurred.")
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	s.f.published = append(s.f.published, j)
	s.f.traces = append(s.f.traces, tracing.CarrierOf(ctx).TraceID())
	s.f.serial++
	jid := fmt.Sprintf("20240101%012d", s.f.serial)
	s.f.owner[jid] = name
	return client.Published{JID: jid, Minions: s.matches(j), ReportsEnd: true}, nil
}

func (s *fakeSession) Run(ctx context.Context, j client.Job) (client.Outcome, error) {
	p, err := s.Publish(ctx, j)
	o := client.Outcome{Published: p, Returns: map[string]client.Return{}}
	if err != nil {
		return o, err
	}
	if hold := s.f.hold; hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return o, ctx.Err()
		}
	}
	o.Account = &client.Account{JID: p.JID, Expected: len(p.Minions), Missing: map[string]client.Missing{}}
	for _, id := range p.Minions {
		if id == "web-03" {
			o.Account.Missing[id] = client.Missing{Reason: "disconnected", Path: "syndic-a"}
			continue
		}
		o.Returns[id] = play(j, p.JID, id)
	}
	return o, nil
}

// play is what a minion answers.
func play(j client.Job, jid, id string) client.Return {
	r := client.Return{JID: jid, ID: id, Fun: strings.Join(j.Fun, ","), Success: true}
	var v any
	switch r.Fun {
	case "test.ping", "test.sleep":
		v = true
	case "test.version":
		v = "3007.0"
	case "cmd.run":
		v, r.Retcode = "", 3
	case "grains.items":
		v = value.NewMap("id", id, "cwd", "/")
	case "test.echo":
		v = j.Args[0]
	case "test.large":
		v = "VALUE_TRIMMED"
	case "test.ping,test.echo":
		v = value.NewMap("test.ping", true, "test.echo", j.Args[1].([]any)[0])
	case "test.arg":
		v = pub(j, jid)
	default:
		v = "'" + r.Fun + "' is not available."
	}
	r.Value, _ = client.RawOf(v)
	return r
}

// pub is test.arg of a Salt minion: what it was given.
func pub(j client.Job, jid string) any {
	args, kwargs := []any{}, value.NewMap()
	given := append([]any{}, j.Args...)
	for _, a := range j.Args {
		if s, ok := a.(string); ok {
			if name, text, ok := strings.Cut(s, "="); ok {
				kwargs.Set(name, pyfmt.YAMLWord(text))
				continue
			}
		}
		args = append(args, a)
	}
	if len(j.Kwargs) > 0 {
		more := value.NewMap()
		for k, v := range j.Kwargs {
			kwargs.Set(k, v)
			more.Set(k, v)
		}
		given = append(given, more)
	}
	kind := j.TgtType
	if kind == "" {
		kind = "glob"
	}
	for _, kv := range [][2]any{{"__pub_fun", j.Fun[0]}, {"__pub_arg", given}, {"__pub_tgt", j.Tgt}, {"__pub_jid", jid}, {"__pub_tgt_type", kind}} {
		kwargs.Set(kv[0], kv[1])
	}
	return value.NewMap("args", args, "kwargs", kwargs)
}

func (s *fakeSession) Batch(ctx context.Context, j client.Job, _ client.Batch, took func(client.Return)) (client.Account, error) {
	o, err := s.Run(ctx, j)
	if err != nil {
		return client.Account{}, err
	}
	for _, id := range o.Minions {
		if r, ok := o.Returns[id]; ok {
			took(r)
		}
	}
	return *o.Account, nil
}

func (s *fakeSession) Subset(_ context.Context, j client.Job, n int) (client.Job, error) {
	ids := s.matches(j)
	if len(ids) == 0 {
		return j, client.ErrNoMatch
	}
	j.Tgt, j.TgtType = ids[:min(n, len(ids))], "list"
	return j, nil
}

func (s *fakeSession) mayRun(ctx context.Context) (string, error) {
	name, err := s.who(ctx)
	if err == nil && (name == "bob" || name == "erin") {
		err = refusal("TokenAuthenticationError", `Authentication failure of type "token" occurred for user `+name+`.`)
	}
	return name, err
}

// mayRead returns nil if the user may see a job: an own one, or any one by the rules for runners.
func (s *fakeSession) mayRead(ctx context.Context, jid string) error {
	name, err := s.who(ctx)
	if err != nil {
		return err
	}
	s.f.mu.Lock()
	own := s.f.owner[jid] == name
	s.f.mu.Unlock()
	if own {
		return nil
	}
	_, err = s.mayRun(ctx)
	return err
}

func (s *fakeSession) Follow(ctx context.Context, jid string) (Following, error) {
	if err := s.mayRead(ctx, jid); err != nil {
		return nil, err
	}
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	if s.f.owner[jid] == "" {
		return nil, client.ErrNotReported
	}
	return &fakeFollowing{updates: s.f.follow, closed: make(chan struct{})}, nil
}

// serve makes a server over a fake master, without a listener.
func serve(t testing.TB, f *fake, change ...func(*Options)) *Server {
	t.Helper()
	return serveOver(t, f, append([]func(*Options){func(o *Options) { o.Now = f.now }}, change...)...)
}

// serveOver is serve over any backend.
func serveOver(t testing.TB, b Backend, change ...func(*Options)) *Server {
	t.Helper()
	o := Options{Dialect: CherryPy, Clients: allClients, DisableTLS: true, Log: quiet}
	for _, c := range change {
		c(&o)
	}
	s, err := newServer(o, b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.end()
		s.hub.Close()
	})
	return s
}
