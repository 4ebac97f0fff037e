package master

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/internal/zmtp"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/ledger"
	"github.com/momtree/mom/returners"
)

// maxTimeout bounds a job's timeout, in seconds.
const maxTimeout = 365 * 24 * 3600

// publish is the clear command of the same name: the start of every job (Salt wire
// reference §10).
func (m *Master) publish(ctx context.Context, load wire.Raw) any {
	p, err := wire.ParsePublishLoad(load)
	if err != nil {
		return refusal{"SaltInvocationError", "publish: " + err.Error()}.reply()
	}
	calls, err := access.Calls(p)
	if err != nil {
		return refusal{"SaltInvocationError", "publish: " + err.Error()}.reply()
	}
	job, err := m.admit(p, calls)
	if err != nil {
		var r refusal
		if !errors.As(err, &r) {
			return refusal{"SaltInvocationError", err.Error()}.reply()
		}
		m.refusedUser("publish", p.User, wire.FunName(p.Fun))
		return r.reply()
	}
	if job.nobody() && !m.cfg.OrderMasters {
		return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", nil, "minions", []any{},
			"error", fmt.Sprintf("Master could not resolve minions for target %v", job.tgt)))
	}
	if err := m.start(ctx, job); err != nil {
		m.log.Error("A job could not be started", "jid", job.jid, "err", err)
		return refusal{"SaltReqTimeoutError", err.Error()}.reply()
	}
	return wire.NewMap("enc", "clear", "load", job.published())
}

// job is one publication on its way out.
type job struct {
	jid   string
	fun   string
	tgt   any
	load  wire.PublishLoad
	extra *wire.Map // the load's kwargs
	rules []any     // what the sender is held to, for the nodes below; none: everything
	audience
	fromAbove bool      // a syndic re-publishes it here
	until     time.Time // deadline of a queued job; zero: it is not queued
}

func (j *job) nobody() bool { return len(j.minions) == 0 && len(j.nodes) == 0 }

// readJob reads the load, resolves the target and settles the jid.
func (m *Master) readJob(p wire.PublishLoad) (*job, error) {
	tgt, err := targetOf(p.Tgt)
	if err != nil {
		return nil, err
	}
	if p.TgtType == "" {
		p.TgtType = "glob"
	}
	j := &job{fun: wire.FunName(p.Fun), tgt: tgt}
	if j.extra, err = extraOf(p); err != nil {
		return nil, err
	}
	j.extra.Delete("auth_list") // it speaks to this master, which says its own
	if j.until, err = m.queueUntil(p, j.extra); err != nil {
		return nil, err
	}
	if j.extra.Delete(queueField); !j.until.IsZero() {
		j.extra.Set(queueField, j.until.Unix()) // stored, and told to the nodes below
	}
	if j.audience, err = m.match(tgt, p.TgtType, j.extra.String("delimiter")); err != nil {
		return nil, err
	}
	j.fromAbove = p.JID != ""
	if p.JID == "" {
		p.JID = m.jids.Next()
	} else if !jid.Valid(p.JID) {
		return nil, fmt.Errorf("jid %q is not a job id", p.JID)
	}
	j.jid, j.load = p.JID, p
	return j, nil
}

// extraOf decodes the kwargs of a load.
func extraOf(p wire.PublishLoad) (*wire.Map, error) {
	if len(p.Kwargs) == 0 || wire.IsNil(p.Kwargs) {
		return wire.NewMap(), nil
	}
	m, err := wire.DecodeMap(p.Kwargs)
	if err != nil {
		return nil, fmt.Errorf("kwargs: %w", err)
	}
	return m, nil
}

// returning tells whether a new job waits for a minion that is not connected: it
// comes back after our start, and the publication is kept for it.
func (m *Master) returning(id string) bool { return m.kept.Keeps() && m.presence.Returning(id) }

// start stores the job, opens its account, tells the bus, and publishes.
func (m *Master) start(ctx context.Context, j *job) error {
	spec := ledger.Job{
		JID: j.jid, Fun: j.fun, Minions: m.ledgerMinions(j.minions, m.returning), Nodes: j.nodes, Queue: !j.until.IsZero(),
		Timeout: m.cfg.Timeout, Named: named(j.tgt, j.load.TgtType), Everyone: j.tgt == "*" && j.load.TgtType == "glob",
	}
	if t, err := wire.Int(j.load.Timeout); err == nil && t > 0 {
		spec.Timeout = time.Duration(min(t, maxTimeout)) * time.Second
	}
	if !j.fromAbove {
		spec.Unclaimed = j.missing
	}
	stored, err := j.stored()
	if err != nil {
		return err
	}
	m.traces.Received(j.jid, m.now())
	x := returners.Expectation{JID: j.jid, Minions: j.minions, At: m.now()}
	p, err := m.publication(j)
	if err != nil {
		return err
	}
	// Kept before it is stored, so that whatever is stored can be published.
	kept, err := m.retain(j, p)
	if err != nil {
		return err
	}
	unkeep := func() {
		if kept {
			m.kept.Drop(j.jid)
		}
	}
	// Marked before it is stored: a mark without a job is cleared at the next
	// start, a job without a mark would not be taken up again.
	if err := m.open.Mark(j.jid); err != nil {
		unkeep()
		return err
	}
	fresh, err := m.store.SaveJob(ctx, returners.Load{JID: j.jid, Raw: stored, User: j.load.User, At: m.now()}, x)
	if err != nil {
		unkeep()
		return errors.Join(err, m.unmark(j.jid))
	}
	m.showJob(j, stored)
	// From here on the hooks may speak of the job, so its own events go first.
	m.tellJob(j, spec)
	if !fresh && !m.ledger.Adopted(j.jid) {
		unkeep()
		return m.again(j)
	}
	if err := m.ledger.Open(spec); err != nil {
		unkeep()
		return m.again(j)
	}
	m.meant.Note(j.jid, j.load.TgtType, j.expr)
	err = m.send(j, p)
	m.traces.Published(j.jid, m.now())
	m.lookAgain(spec)
	m.countEarly(ctx, j)
	return err
}

// countEarly enters returns that were here before the job: a node that came to
// this master meanwhile had heard it elsewhere, and returns nothing twice.
func (m *Master) countEarly(ctx context.Context, j *job) {
	if !j.fromAbove { // nobody knew the jid before
		return
	}
	rets, err := m.store.Local().GetReturns(ctx, j.jid)
	if err != nil {
		m.log.Error("The returns that were here before their job could not be counted", "jid", j.jid, "err", err)
	}
	for _, r := range rets {
		m.ledger.Returned(j.jid, r.ID, r.Via, r.Success && r.Retcode == 0)
	}
}

// again ends the start of a job that was started before: a second way led it
// here. It runs once; its account has been told again.
func (m *Master) again(j *job) error {
	m.log.Info("A job came a second time and is not published again", "jid", j.jid, "user", j.load.User)
	if err := m.unmark(j.jid); err != nil {
		return err
	}
	if m.parent == "" || !m.ledger.Closed(j.jid) {
		return nil
	}
	// Who asks now has not heard who is missing.
	events, err := m.expectationEvents(j.jid)
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.Tag != j.jid {
			m.fireRaw(e.Tag, e.Data, "")
		}
	}
	m.bookLate(j.jid)
	return nil
}

// unmark takes back the mark of a job unless its account is open.
func (m *Master) unmark(jid string) error {
	if a, ok := m.ledger.State(jid); ok && a.Open() {
		return nil
	}
	return m.open.Clear(jid)
}

// lookAgain tells the ledger of those whose connection broke after the job was
// matched and before the ledger knew it: nothing else would end the wait.
func (m *Master) lookAgain(spec ledger.Job) {
	for _, min := range spec.Minions {
		switch live := m.presence.Live(min.ID); {
		case min.Live == ledger.Up && live != ledger.Up:
			m.ledger.MinionDown(min.ID)
		case min.Live == ledger.Away && live == ledger.Up: // it has heard the publication
			m.ledger.MinionUp(min.ID, map[string]bool{spec.JID: true})
		}
	}
	for _, n := range spec.Nodes {
		switch live := m.presence.Live(n.ID); {
		case n.Live == ledger.Up && live != ledger.Up:
			m.ledger.NodeDown(n.ID)
		case n.Live == ledger.Away && live == ledger.Up:
			m.ledger.NodeUp(n.ID)
		}
	}
}

// tellJob fires Salt's two events of a new job. The first doubles as this
// node's expectation on its way to the master above.
func (m *Master) tellJob(j *job, spec ledger.Job) {
	unreachable := wire.NewMap()
	for _, min := range spec.Minions {
		if min.Live == ledger.Down || min.Live == ledger.Away && min.Grace == 0 {
			reason := ledger.NotConnected
			if spec.Queue {
				reason = ledger.Queued
			}
			unreachable.Set(min.ID, reason)
		}
	}
	asked := make([]any, 0, len(j.nodes))
	for _, n := range j.nodes {
		if n.Live == ledger.Up || n.Live == ledger.Untracked || n.Live == ledger.Away && n.Grace > 0 {
			asked = append(asked, n.ID)
		}
	}
	m.fire(j.jid, wire.NewMap("minions", j.minions, "jid", j.jid,
		"mom", wire.NewMap("node", "", "asked", asked, "unreachable", unreachable)))
	m.fire("salt/job/"+j.jid+"/new", wire.NewMap("jid", j.jid, "tgt_type", j.load.TgtType, "tgt", j.tgt,
		"user", j.load.User, "fun", j.load.Fun, "arg", j.load.Arg, "minions", j.minions, "missing", j.missing))
}

// stored is the load as the job store keeps it: without keys and secrets.
func (j *job) stored() (wire.Raw, error) {
	kwargs := j.extra.Clone()
	for _, secret := range []string{"token", "password", "username", "eauth", "key"} {
		kwargs.Delete(secret)
	}
	m := wire.NewMap("cmd", "publish", "tgt", j.load.Tgt, "fun", j.load.Fun, "arg", j.load.Arg,
		"tgt_type", j.load.TgtType, "ret", j.load.Ret, "jid", j.jid, "user", j.load.User,
		"kwargs", kwargs, "minions", j.minions)
	b, err := wire.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("encode load of job %s: %w", j.jid, err)
	}
	return b, nil
}

// published is the answer to the client.
func (j *job) published() *wire.Map {
	nodes := make([]string, 0, len(j.nodes))
	for _, n := range j.nodes {
		nodes = append(nodes, n.ID)
	}
	return wire.NewMap("jid", j.jid, "minions", j.minions, "missing", j.missing, "nodes", nodes)
}

// publication is what goes to the minions and nodes.
func (m *Master) publication(j *job) (wire.Publication, error) {
	p := wire.Publication{
		Fun: j.load.Fun, Arg: j.load.Arg, Tgt: j.load.Tgt, JID: j.jid, Ret: j.load.Ret,
		TgtType: j.load.TgtType, User: j.load.User, Extra: wire.NewMap(),
	}
	p.MasterID = m.cfg.MasterID
	if id := j.extra.String("master_id"); id != "" {
		p.MasterID = id
	}
	if u := j.extra.String("user"); u != "" && j.fromAbove {
		p.User = u
	}
	if d := j.extra.String("delimiter"); d != "" && d != ":" {
		p.Delimiter = d
	}
	if !j.until.IsZero() {
		p.Extra.Set(queueField, j.until.Unix())
	}
	if m.cfg.OrderMasters || len(j.nodes) > 0 {
		p.To, p.HasTo = int64(m.cfg.Timeout/time.Second), true
		if j.load.HasTo {
			p.To = j.load.To
		}
	}
	var err error
	for name, field := range map[string]*wire.Raw{
		"metadata": &p.Metadata, "module_executors": &p.ModuleExecutors, "executor_opts": &p.ExecutorOpts,
		"ret_kwargs": &p.RetKwargs,
	} {
		v, ok := j.extra.Get(name)
		if !ok || v == nil {
			continue
		}
		if *field, err = wire.Encode(v); err != nil {
			return p, fmt.Errorf("encode %s of job %s: %w", name, j.jid, err)
		}
	}
	if len(j.rules) > 0 || m.cfg.OrderMasters {
		// Also without known nodes: one that is new must not run it unchecked.
		if p.AuthList, err = wire.Encode(append([]any{}, j.rules...)); err != nil {
			return p, fmt.Errorf("encode auth_list of job %s: %w", j.jid, err)
		}
	}
	p.RetConfig, p.ID = j.extra.String("ret_config"), j.extra.String("id")
	if err := m.endorse(j, &p); err != nil {
		return p, err
	}
	return p, nil
}

// send encrypts, signs and publishes.
func (m *Master) send(j *job, p wire.Publication) error {
	if err := m.emitTo(p, j.topics(m.cfg.OrderMasters), m.allBut(j.spared)); err != nil {
		return fmt.Errorf("publish job %s: %w", j.jid, err)
	}
	return m.kept.Published(j.jid)
}

// emit seals a publication and hands it to the subscribers.
func (m *Master) emit(p wire.Publication, topics []string) error { return m.emitTo(p, topics, nil) }

// emitTo is emit to some of the subscribers; nil means all.
func (m *Master) emitTo(p wire.Publication, topics []string, to *zmtp.Choice) error {
	return m.shared.Seal(p, m.number, func(cipher []byte) error {
		body, err := m.envelope(cipher)
		if err != nil {
			return err
		}
		if !m.cfg.ZmqFiltering {
			topics = []string{""}
		}
		for _, t := range topics {
			if err := m.pub.SendTo(t, body, to); err != nil {
				return err
			}
		}
		return nil
	})
}

// envelope signs a ciphertext, if publications are signed, and wraps it.
func (m *Master) envelope(cipher []byte) ([]byte, error) {
	env := wire.Envelope{Enc: "aes", Cipher: cipher}
	if m.cfg.SignPubMessages {
		sig, err := crypt.Sign(m.cfg.PublishSigningAlgorithm, m.identity.Pair.Private, cipher)
		if err != nil {
			return nil, fmt.Errorf("sign: %w", err)
		}
		env.SigAlgo, env.Sig = m.cfg.PublishSigningAlgorithm, sig
	}
	return env.Encode()
}

// topics lists what zmq_filtering sends a publication under (Salt wire reference
// §2.4).
func (j *job) topics(orderMasters bool) []string {
	ids := j.minions
	if j.load.TgtType == "list" {
		ids = listed(j.tgt)
	}
	switch j.load.TgtType {
	case "glob", "pcre", "list":
		if len(ids) == 0 && !orderMasters && len(j.nodes) == 0 {
			return []string{"broadcast"}
		}
		out := make([]string, 0, len(ids)+1)
		for _, id := range ids {
			out = append(out, topic(id))
		}
		if orderMasters || len(j.nodes) > 0 {
			out = append(out, "syndic")
		}
		return out
	}
	return []string{"broadcast"}
}
