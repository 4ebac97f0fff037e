package publish

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobsig"
	"github.com/momtree/mom/internal/judged"
	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/target"
	"github.com/momtree/mom/internal/tracing"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/access/verdict"
	"github.com/momtree/mom/master/engine"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/publications"
	"github.com/momtree/mom/returners"
)

// Job is one publication on its way out.
type Job struct {
	JID   string
	fun   string
	tgt   any
	load  wire.PublishLoad
	extra *wire.Map    // the load's kwargs
	eauth string       // the login service that knows its user; "": a user of the machine
	rules []any        // what the sender is held to, for the nodes below; none: everything
	list  *judged.List // whom the minions' publication names, where a rule with a target allowed the job
	ownership.Audience
	fromAbove bool             // a node above gave it, by the key of this master's own user
	asks      []returners.Note // who asks for it there
	trace     tracing.Carrier  // the OpenTelemetry trace that it belongs to
	until     time.Time        // deadline of a queued job; zero: it is not queued
	grown     *grown           // it extends a job; nil: it does not
}

// Read reads the load, resolves the target and settles the jid. A trusted sender
// may act in anybody's name, as the forwarder of this node does.
func (s *Service) Read(p wire.PublishLoad, trusted bool) (*Job, error) {
	tgt, err := targetOf(p.Tgt)
	if err != nil {
		return nil, err
	}
	//mutant:target-control-characters,hostile-target-blanks
	if err := target.Clean(tgt, p.TgtType); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if p.TgtType == "" {
		p.TgtType = "glob"
	}
	if tgt, err = s.expanded(&p, tgt, trusted && p.JID != ""); err != nil {
		return nil, err
	}
	j := &Job{fun: wire.FunName(p.Fun), tgt: tgt}
	if j.extra, err = p.DecodedKwargs(); err != nil {
		return nil, err
	}
	for _, field := range notOfTheJob {
		j.extra.Delete(field)
	}
	if j.until, err = s.o.Publications.QueueUntil(p, j.extra); err != nil {
		return nil, err
	}
	if j.extra.Delete(publications.QueueField); !j.until.IsZero() {
		j.extra.Set(publications.QueueField, j.until.Unix()) // stored, and told to the nodes below
	}
	if j.Audience, err = s.o.Policy.Match(tgt, p.TgtType, j.extra.String("delimiter")); err != nil {
		return nil, err
	}
	j.Audience = j.Audience.For(funsOf(p.Fun))
	//mutant:parent-is-a-key
	j.fromAbove = p.JID != "" && trusted
	if !j.fromAbove {
		for _, field := range []string{"user", "master_id", "id", jobsig.Field, returners.PartField} { // a node's to say
			j.extra.Delete(field)
		}
	}
	//mutant:cve2025-22242-any-jid
	if p.JID == "" {
		p.JID = s.o.JID()
	} else if !jid.Valid(p.JID) {
		return nil, fmt.Errorf("jid %q is not a job id", p.JID)
	}
	j.JID, j.load = p.JID, p
	return j, nil
}

// funsOf lists the functions of a job.
func funsOf(fun wire.Raw) []string {
	if funs, err := wire.Strings(fun); err == nil && wire.IsList(fun) {
		return funs
	}
	return []string{wire.FunName(fun)}
}

// notOfTheJob are kwargs that speak to this master alone: auth_list, of which it says its
// own, and what a user has logged in with, which nobody else is to see.
//
//mutant:login-is-not-published
var notOfTheJob = []string{"auth_list", "token", "password", "username", "eauth", "key"}

// expanded replaces node groups in the target of a load: a job means the groups of the
// master where it starts. Nodes and minions below have others, or none. So it is with
// places in the tree, which are seen from there; what comes from above speaks of none.
func (s *Service) expanded(p *wire.PublishLoad, tgt any, fromAbove bool) (any, error) {
	out, kind, err := target.ExpandTarget(tgt, p.TgtType, s.o.Config.Nodegroups)
	if err == nil && !fromAbove {
		out, err = target.ExpandPlaces(out, kind, s.o.Policy.Where)
	}
	if err != nil {
		return nil, fmt.Errorf("target %v: %w", tgt, err)
	}
	//mutant:node-groups-are-expanded
	if kind == p.TgtType && reflect.DeepEqual(out, tgt) {
		return tgt, nil
	}
	if p.Tgt, err = wire.Encode(out); err != nil {
		return nil, fmt.Errorf("target %v: %w", tgt, err)
	}
	p.TgtType = kind
	return out, nil
}

// SetOwner sets whose job it is: the login service of the user that the load names.
func (j *Job) SetOwner(o access.Owner) { j.eauth = o.Eauth }

// user is who asked for the job: of one from above whom the master there names.
func (j *Job) user() string {
	if u := j.extra.String("user"); u != "" && j.fromAbove {
		return u
	}
	return j.load.User
}

// stored is the load as the job store keeps it, in Salt's form: without keys and
// secrets. Who has to answer stands in the expectations.
func (j *Job) stored(mask secrets.Masker) (wire.Raw, error) {
	kwargs := j.extra.Clone()
	kwargs.Delete("user")
	tgt := any(j.load.Tgt)
	if j.grown != nil {
		tgt = j.grown.all
	}
	//mutant:job-record-names-minions
	m := wire.NewMap("cmd", "publish", "tgt", tgt, "fun", j.load.Fun, "arg", j.load.Arg,
		"tgt_type", j.load.TgtType, "ret", j.load.Ret, "jid", j.JID, "user", j.user(), "kwargs", kwargs)
	access.Owner{Eauth: j.eauth, Name: j.user()}.Record(m)
	j.trace.Put(m)
	b, err := wire.Encode(m)
	if err != nil {
		return nil, fmt.Errorf("encode load of job %s: %w", j.JID, err)
	}
	//mutant:mask-passwords-of-jobs
	return mask.Load(b)
}

// judge keeps the verdict on a job. Where a rule with a target allowed it, own minions are
// given the ids that were held against the rule, and not the target, which they might read
// otherwise.
func (j *Job) judge(v verdict.Verdict) error {
	//mutant:cve2022-22941-held-above,cve2022-22941-held-below
	if !v.Allowed {
		return notAllowed{v.String()}
	}
	//mutant:hostile-target-blanks-2,hostile-target-brace,hostile-target-nested,target-list
	if !access.ByTarget(v) {
		return nil
	}
	ids := j.Answerers() // a minion that carries the job for its resources must not take it for itself
	//mutant:target-list-unsure
	j.list = &judged.List{
		IDs: ids, Open: len(j.Unsure) > 0,
		Plain: slices.ContainsFunc(j.Nodes, func(n engine.Node) bool { return n.Live == engine.Untracked }),
	}
	if !j.list.Open {
		return nil
	}
	if _, _, err := target.NarrowTo(ids, j.tgt, j.load.TgtType, j.extra.String("delimiter")); err != nil {
		return fmt.Errorf("this master does not know the grains or pillar of %s and cannot narrow the target: %w", j.Unsure[0], err)
	}
	return nil
}

// topics lists what zmq_filtering sends a publication under (Salt wire reference
// §2.4).
func (j *Job) topics(orderMasters bool) []string {
	ids := j.Minions
	if j.list != nil {
		return channel.TopicsOf(ids)
	}
	if j.load.TgtType == "list" {
		ids = ownership.Listed(j.tgt)
	}
	switch j.load.TgtType {
	case "glob", "pcre", "list":
		if len(ids) == 0 && !orderMasters && len(j.Nodes) == 0 {
			return []string{channel.ToAll}
		}
		out := channel.TopicsOf(ids)
		if !orderMasters && len(j.Nodes) == 0 {
			out = out[:len(ids)]
		}
		return out
	}
	return []string{channel.ToAll}
}
