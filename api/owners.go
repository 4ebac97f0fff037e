package api

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/momtree/mom/api/stream"
	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/jobevent"
	"github.com/momtree/mom/internal/lru"
	"github.com/momtree/mom/value"
)

const (
	// maxOwners bounds the jobs and the calls of which it is remembered who asked; the
	// ones unheard of for longest give way.
	maxOwners = 16 << 10
	// ownerTime bounds the question who asked for jobs: all events wait for it.
	ownerTime = 4 * time.Second
	// ownerRest is how long nobody is asked after a question without an answer.
	ownerRest = 5 * time.Second
)

// owners find out whose jobs and calls events are of. It is for one goroutine.
//
// The master's record of a job says who asked for it, as for all that is read of a job: it is
// asked once for each job, and for many in one question, since its answer may take as long
// as a hundred events. A master of Salt's cannot be asked: of its jobs the event
// salt/job/JID/new says it, and of calls salt/run/JID/new and salt/wheel/JID/new. The first
// that is heard of a job or call stays: nobody takes it over by firing another.
type owners struct {
	b    Backend
	log  *slog.Logger
	now  func() time.Time
	jobs *lru.Guarded[string, string] // "" for a job that the master does not know
	call *lru.Guarded[string, string]
	rest time.Time // when the master may be asked again
	mute bool      // the master cannot be asked
	lost func()    // is told of a job whose user could not be found out
}

func newOwners(b Backend, log *slog.Logger, lost func()) *owners {
	return &owners{
		b: b, log: log, now: time.Now, lost: lost,
		jobs: lru.NewGuarded[string, string](maxOwners, nil), call: lru.NewGuarded[string, string](maxOwners, nil),
	}
}

// callTags are where the calls of runners and of the wheel are told.
var callTags = []string{"salt/run/", "salt/wheel/"}

// jobOf names the job that an event is of.
func jobOf(tag string) (id string, begins, ok bool) {
	id, kind, _, ok := jobevent.Parse(tag)
	return id, kind == jobevent.KindNew, ok && jid.Valid(id)
}

// find asks the master, once for all of them, for the jobs of events of which nobody knows
// who asked.
func (o *owners) find(ctx context.Context, tags ...string) {
	if o.mute || o.now().Before(o.rest) {
		return
	}
	var ids []string
	asked := map[string]bool{}
	for _, tag := range tags {
		if id, _, ok := jobOf(tag); ok && !asked[id] && !o.jobs.Contains(id) {
			asked[id] = true
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ownerTime)
	defer cancel()
	users, err := o.b.JobUsers(ctx, ids)
	switch {
	case errors.Is(err, client.ErrNotTold):
		o.mute = true
		return
	case errors.Is(ctx.Err(), context.Canceled):
		return
	case err != nil:
		o.log.Warn("master does not report job owners, job events go to privileged users only", "jobs", len(ids), "first", ids[0], "err", err)
		o.lost()
		o.rest = o.now().Add(ownerRest)
		return
	}
	for _, id := range ids {
		o.jobs.Add(id, users[id])
	}
}

// audience tells who may hear an event, by what find has found.
func (o *owners) audience(tag string, data any) stream.Audience {
	fields, _ := data.(*value.Map)
	if id, begins, ok := jobOf(tag); ok {
		user, known := o.jobs.Get(id)
		//mutant:api-owner-is-recorded
		if !known && begins && o.mute {
			user = stream.AnyService + fields.String("user")
			o.jobs.Add(id, user)
		}
		return stream.Audience{Kind: stream.Job, User: user}
	}
	for _, prefix := range callTags {
		rest, ok := strings.CutPrefix(tag, prefix)
		if !ok {
			continue
		}
		id, what, _ := strings.Cut(rest, "/")
		if !jid.Valid(id) {
			return stream.Audience{}
		}
		key := prefix + id
		user, known := o.call.Get(key)
		//mutant:api-first-owner-stays
		if !known && what == "new" {
			user = callerOf(fields)
			o.call.Add(key, user)
		}
		return stream.Audience{Kind: stream.Call, User: user}
	}
	return stream.Audience{}
}

// callerOf names who made a call, by the event of its start. Of a master of Salt's it has no
// field for the login service.
func callerOf(fields *value.Map) string {
	user, eauth := fields.String("user"), fields.String("mom_eauth")
	switch {
	case !fields.Has("mom_eauth"):
		return stream.AnyService + user
	case eauth != "":
		return eauth + "/" + user
	}
	return user
}

// learn takes over what was found out about an event before.
func (o *owners) learn(e stream.Event) {
	if e.For.User == "" {
		return
	}
	if id, _, _, ok := jobevent.Parse(e.Tag); ok {
		o.jobs.Add(id, e.For.User)
		return
	}
	for _, prefix := range callTags {
		if rest, ok := strings.CutPrefix(e.Tag, prefix); ok {
			id, _, _ := strings.Cut(rest, "/")
			o.call.Add(prefix+id, e.For.User)
		}
	}
}
