package commands

import (
	"cmp"
	"context"
	"errors"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/access"
	"github.com/momtree/mom/master/batches"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/server"
)

func init() {
	Register(server.Command{
		Name: "publish_batch", Who: server.User, Logins: true,
		Args: []string{"tgt", "tgt_type", "fun", "arg", "ret", "timeout", "kwargs", "batch"},
		Doc: `
Starts a job that the master runs on a few minions at a time, like salt -b N --async.

tgt, tgt_type, fun, arg, ret, timeout, kwargs
    As of publish. The target is shown in the status of the batch.
batch
    A map: minions, the ids of all minions in starting order; size, how many run at once, a
    number or a percentage; wait, seconds between the end of a minion and the start of the
    next in its place; failhard, whether a failure stops further starts.

The answer has the jid, which all slices share, the minions, and in batch the result of
salt-run batch.status.
`,
	}, func(p *Parts) server.Handler {
		return startBatch{publisher: p.Publisher, batches: p.Batches, cfg: p.Config}.serve
	})
}

type startBatch struct {
	publisher *publish.Service
	batches   *batches.Service
	cfg       *config.Master
}

func (c startBatch) serve(ctx context.Context, r *server.Request) (any, error) {
	p, err := wire.ParsePublishLoad(r.Load)
	if err != nil {
		return nil, server.Invalid("publish_batch: %v", err)
	}
	s, err := c.read(p)
	if err != nil {
		return nil, server.Invalid("publish_batch: %v", err)
	}
	by := access.ByOf(r)
	s.User, s.By.Owner = by.Name(p.User), r.User
	if by.Login != nil {
		s.By.Owner = cmp.Or(s.By.Owner, by.Login.Name)
		s.By.Eauth, s.By.Rules = by.Login.Eauth, by.Login.Rules
	}
	whole := p
	whole.JID, whole.TgtType, whole.Kwargs = "", "list", s.By.Extra
	if whole.Tgt, err = wire.Encode(s.Minions); err != nil {
		return nil, server.Invalid("publish_batch: %v", err)
	}
	load, err := whole.Encode()
	if err != nil {
		return nil, server.Invalid("publish_batch: %v", err)
	}
	//mutant:batch-judged-as-a-whole
	if err = c.publisher.CheckLoad(ctx, load, by); err == nil {
		var status *wire.Map
		if status, err = c.batches.Start(ctx, s); err == nil {
			return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", status.String("jid"), "minions", s.Minions, "batch", status)), nil
		}
	}
	no := server.Refusal{}
	switch {
	case errors.Is(err, publish.ErrNoMatch):
		return wire.NewMap("enc", "clear", "load", wire.NewMap("jid", nil, "minions", []any{}, "error", err.Error())), nil
	case errors.Is(err, batches.ErrNotNow), errors.Is(err, batches.ErrBusy):
		return nil, server.Refusal{Name: "SaltReqTimeoutError", Message: err.Error()}
	case errors.As(err, &no):
		return nil, no
	}
	return nil, server.Invalid("publish_batch: %v", err)
}

// read reads the parameters of a batch from a load.
func (c startBatch) read(p wire.PublishLoad) (s batches.Start, err error) {
	v, ok := p.Extra.Get("batch")
	raw, isRaw := v.(wire.Raw)
	if !ok || !isRaw {
		return s, errors.New("field batch is missing")
	}
	d, err := wire.DecodeMap(raw)
	if err != nil {
		return s, err //nolint:wrapcheck // the caller says what it is
	}
	kwargs, err := p.DecodedKwargs()
	if err != nil {
		return s, err //nolint:wrapcheck // the caller says what it is
	}
	if kwargs.Has("queue_until") {
		return s, errors.New("a batch cannot be queued")
	}
	s = batches.Start{
		Minions: d.Strings("minions"), Size: d.String("size"), BatchWait: d.Float("wait"), Failhard: d.Bool("failhard"),
		Fun: p.Fun, Arg: p.Arg, TgtType: cmp.Or(p.TgtType, "glob"), Ret: p.Ret, Timeout: c.cfg.Timeout.Seconds(), Gather: c.cfg.GatherJobTimeout.Seconds(),
	}
	if n, err := wire.Int(p.Timeout); err == nil && n > 0 {
		s.Timeout = float64(n)
	}
	if s.Tgt, err = wire.Decode(p.Tgt); err != nil {
		return s, err //nolint:wrapcheck // the caller says what it is
	}
	//mutant:batch-no-password-on-disk
	s.By.Extra, err = wire.Encode(publish.StorableKwargs(kwargs))
	return s, err //nolint:wrapcheck // the caller says what it is
}
