package saltkey

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/value"
)

// wheel is the keyring of a master that is used through its wheel functions, with the user's login.
// Its ids are those at the start.
type wheel struct {
	ctx    context.Context // context of the command
	master client.Master
	log    *slog.Logger
	keys.Selection
}

// openWheel reads the ids of all keys.
func openWheel(ctx context.Context, m client.Master, log *slog.Logger) (*wheel, error) {
	w := &wheel{ctx: ctx, master: m, log: log, Selection: keys.Selection{}}
	all, err := w.call("key.list_all", nil)
	if err != nil {
		return nil, err
	}
	for _, st := range append(slices.Clone(keys.Listed), keys.Local) {
		if ids := all.Strings(st.Folder()); len(ids) > 0 {
			w.Selection[st] = ids
		}
	}
	return w, nil
}

// call calls a wheel function whose result is a map.
func (w *wheel) call(fun string, kwargs map[string]any) (*value.Map, error) {
	a, err := w.master.CallWheel(w.ctx, fun, kwargs)
	if err != nil {
		return nil, err
	}
	d, err := a.Data.Map()
	if err != nil {
		return nil, fmt.Errorf("wheel %s: %w", fun, err)
	}
	v, _ := d.Get("return")
	if !d.Bool("success") {
		return nil, &client.WheelError{Fun: fun, Reason: fmt.Sprint(v)}
	}
	m, ok := v.(*value.Map)
	if !ok {
		return nil, fmt.Errorf("wheel %s: its result is not a map", fun)
	}
	return m, nil
}

func (w *wheel) All(states ...keys.State) keys.Selection { return w.Match("*", states...) }

func (w *wheel) Match(glob string, states ...keys.State) keys.Selection {
	if len(states) == 0 {
		states = keys.Listed
	}
	return w.Selection.Match(glob, states...)
}

func (w *wheel) Own(glob string) ([]string, error) {
	return w.Selection.Match(glob, keys.Local)[keys.Local], nil
}

func (w *wheel) Print(sel keys.Selection) ([]keys.Shown, error) {
	return w.shown("key.key_str", sel)
}

// Finger returns fingerprints, including those of the master's own keys if its wheel reports them.
func (w *wheel) Finger(sel keys.Selection) ([]keys.Shown, error) {
	var out []keys.Shown
	if len(sel[keys.Local]) > 0 {
		own, err := w.call("key.finger_master", map[string]any{"arg": []any{}, "kwarg": value.NewMap()})
		var not *client.WheelError
		switch {
		case errors.As(err, &not) && strings.Contains(not.Reason, "is not available"):
			w.log.Warn("fingerprints of the master's own keys are shown on its host only")
		case err != nil:
			return nil, err
		}
		out = append(out, pick(own, keys.Local, sel[keys.Local])...)
	}
	others, err := w.shown("key.finger", sel)
	return append(out, others...), err
}

// shown calls a function for the selected keys.
func (w *wheel) shown(fun string, sel keys.Selection) ([]keys.Shown, error) {
	globs := exact(sel)
	if len(globs) == 0 {
		return nil, nil
	}
	all, err := w.call(fun, map[string]any{"match": globs})
	if err != nil {
		return nil, err
	}
	var out []keys.Shown
	for _, st := range keys.Listed {
		out = append(out, pick(all, st, sel[st])...)
	}
	return out, nil
}

// pick selects some of the texts of one directory.
func pick(all *value.Map, st keys.State, ids []string) (out []keys.Shown) {
	folder := all.Map(st.Folder())
	for _, id := range ids {
		if text := folder.String(id); text != "" {
			out = append(out, keys.Shown{Key: keys.Key{State: st, ID: id}, Text: text})
		}
	}
	return out
}

// exact returns globs that match only the ids of a selection, once each.
func exact(sel keys.Selection) []any {
	var ids []string
	for _, st := range keys.Listed {
		ids = append(ids, sel[st]...)
	}
	slices.Sort(ids)
	var out []any
	for _, id := range slices.Compact(ids) {
		out = append(out, literal.Replace(id))
	}
	return out
}

// literal returns a glob for an id. A comma would end it, so it becomes a wildcard.
var literal = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", ",", "?")

// Apply makes the master carry out a change with all its follow-up work.
func (w *wheel) Apply(c change, sel keys.Selection) ([]keys.Key, error) {
	kwargs := map[string]any{"match": exact(sel)}
	for st, flag := range map[keys.State]string{keys.Accepted: "include_accepted", keys.Rejected: "include_rejected", keys.Denied: "include_denied"} {
		if c.act != "delete" && slices.Contains(c.states, st) {
			kwargs[flag] = true
		}
	}
	m, err := w.call("key."+c.act, kwargs)
	if err != nil {
		return nil, err
	}
	var done []keys.Key
	left := keys.Selection{}
	for st, ids := range sel {
		left[st] = slices.Clone(ids)
	}
	for _, id := range m.Strings("minions") {
		for _, st := range c.states {
			if i := slices.Index(left[st], id); i >= 0 {
				left[st] = slices.Delete(left[st], i, i+1)
				done = append(done, keys.Key{State: st, ID: id})
				break
			}
		}
	}
	return done, nil
}

// refused returns the error of the command for a failed wheel call.
func (k *run) refused(err error) error {
	var no *client.Refused
	var failed *client.WheelError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return k.Refusal(command.ExitFailure, no)
	case errors.As(err, &failed):
		return command.Exit(command.ExitFailure, errors.New(failed.Reason))
	case errors.Is(err, client.ErrUnreachable), errors.Is(err, context.DeadlineExceeded):
		return command.Exit(command.ExitFailure, k.Unasked(err))
	}
	return err
}
