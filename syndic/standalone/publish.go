package standalone

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/syndic/local"
)

// Publish starts a job at the master over the wire, as Salt's syndic does. It stores who requested
// the job first, since another program owns the job afterwards.
func (l *Local) Publish(ctx context.Context, p wire.PublishLoad, asks ...returners.Note) error {
	j, err := jobOf(p)
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := l.Note(ctx, asks...); err != nil {
		return fmt.Errorf("%w: store requester of job %s: %w", local.ErrNotNow, p.JID, err)
	}
	_, err = l.pub.Publish(ctx, j)
	if err == nil || isTemporary(err) { // the master may have accepted it
		if err != nil {
			err = fmt.Errorf("%w: %w", local.ErrNotNow, err)
		}
		return err
	}
	if errors.Is(err, client.ErrNoMatch) {
		err = fmt.Errorf("%w: %w", local.ErrNoMatch, err)
	}
	if _, known, readErr := l.store.GetLoad(ctx, p.JID); known || readErr != nil {
		return err
	}
	for i := range asks { // no job would own them
		asks[i].Gone = true
	}
	return errors.Join(err, l.Note(ctx, asks...))
}

// Note stores notes without a job.
func (l *Local) Note(ctx context.Context, notes ...returners.Note) error {
	_, err := l.store.Commit(ctx, returners.Noted(notes...))
	return err
}

// jobOf returns a load as a client's job.
func jobOf(p wire.PublishLoad) (client.Job, error) {
	j := client.Job{TgtType: p.TgtType, Ret: p.Ret, JID: p.JID, Extra: map[string]any{}}
	var err error
	if j.Tgt, err = wire.Decode(p.Tgt); err != nil {
		return j, fmt.Errorf("target: %w", err)
	}
	if wire.IsList(p.Fun) {
		j.Fun, err = wire.Strings(p.Fun)
	} else {
		j.Fun = make([]string, 1)
		j.Fun[0], err = wire.Str(p.Fun)
	}
	if err != nil {
		return j, fmt.Errorf("fun: %w", err)
	}
	if len(p.Arg) > 0 {
		arg, err := wire.Decode(p.Arg)
		if err != nil {
			return j, fmt.Errorf("arg: %w", err)
		}
		j.Args, _ = arg.([]any)
	}
	if p.HasTo {
		j.Timeout = time.Duration(p.To) * time.Second
	}
	kwargs, err := wire.DecodeMap(p.Kwargs)
	if err != nil {
		return j, fmt.Errorf("kwargs: %w", err)
	}
	for _, k := range kwargs.Keys() {
		name, _ := k.(string)
		j.Extra[name], _ = kwargs.Get(name)
	}
	return j, nil
}

// isTemporary reports whether an error of the master is temporary: a starting master does not
// answer, and its keys on disk are old.
func isTemporary(err error) bool {
	var refused *client.Refused
	if errors.As(err, &refused) {
		return strings.Contains(refused.Name, "Authentication") || refused.Name == "SaltReqTimeoutError"
	}
	return errors.Is(err, client.ErrUnreachable) || errors.Is(err, client.ErrNoKey)
}
