package command

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/value"
)

const (
	// idsTime bounds the wait of a shell for the ids of minions.
	idsTime = 2 * time.Second
	// mostIDs bounds how many ids a shell gets.
	mostIDs = 1000
)

// Minions returns the ids that begin with a text, as the master of this machine reports them to
// this user: from the tree, or else those of minions on which the user may run test.ping. It returns
// none for a remote master, for a login, which might ask for a password, and if the master does not
// answer.
func (f *Frame) Minions(ctx context.Context, kind *Target, begun string) []string {
	before := ""
	switch kind.kind {
	case "list":
		at := strings.LastIndexAny(begun, ", ") + 1
		before, begun = begun[:at], begun[at:]
	case "glob":
	case "nodegroup":
		return f.nodegroups(begun)
	default:
		return nil
	}
	if afar, err := f.Afar(); err != nil || afar || f.Login != (Login{}) || strings.ContainsAny(begun, "*?[") {
		return nil
	}
	o, err := client.FromConfig(f.Dir, nil)
	if err != nil {
		return nil
	}
	o.Timeout, o.Log = idsTime, slog.New(slog.DiscardHandler)
	c := client.New(o)
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, idsTime)
	defer cancel()
	var ids []string
	for _, id := range known(ctx, c, begun) {
		ids = append(ids, before+id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// mostJobs bounds how many of the latest jobs a shell gets.
const mostJobs = 50

// JIDs returns the ids of the latest jobs that begin with a text, newest first, as the master of this
// machine reports them to this user; see [Frame.Minions].
func (f *Frame) JIDs(ctx context.Context, with string) []string {
	if afar, err := f.Afar(); err != nil || afar || f.Login != (Login{}) || strings.Trim(with, "0123456789") != "" {
		return nil
	}
	o, err := client.FromConfig(f.Dir, nil)
	if err != nil {
		return nil
	}
	return lastJobs(ctx, o, with)
}

// LastJIDs is [Frame.JIDs] for commands without Salt's options; dir is the configuration directory.
func LastJIDs(ctx context.Context, dir, with string) []string {
	o, err := client.FromConfig(dir, nil)
	if err != nil {
		return nil
	}
	return lastJobs(ctx, o, with)
}

func lastJobs(ctx context.Context, o client.Options, with string) []string {
	o.Timeout, o.Log = idsTime, slog.New(slog.DiscardHandler)
	c := client.New(o)
	defer c.Close()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, idsTime)
	defer cancel()
	raw, err := c.Runner(ctx, "jobs.list_jobs_filter", mostJobs)
	if err != nil {
		return nil
	}
	v, err := raw.Decode()
	if err != nil {
		return nil
	}
	list, _ := v.([]any)
	var ids []string
	for _, e := range list {
		if m, ok := e.(*value.Map); ok {
			ids = append(ids, m.String("JID"))
		}
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return begun(slices.Compact(ids), with)
}

// nodegroups returns the names of node groups in the master's configuration on this machine that
// begin with a text.
func (f *Frame) nodegroups(with string) []string {
	if afar, err := f.Afar(); err != nil || afar {
		return nil
	}
	o, err := client.FromConfig(f.Dir, nil)
	if err != nil {
		return nil
	}
	return begun(slices.Sorted(maps.Keys(o.Nodegroups)), with)
}

// known queries the ids that begin with a text.
func known(ctx context.Context, c *client.Client, begun string) (ids []string) {
	top, err := c.Tree(ctx)
	if err == nil {
		for _, p := range top.Search(begun, mostIDs) {
			if !p.Node {
				ids = append(ids, p.ID)
			}
		}
		return ids
	}
	if _, refused := errors.AsType[*client.Refused](err); !refused {
		return nil
	}
	m, err := c.Meant(ctx, client.Job{Tgt: begun + "*", Fun: []string{"test.ping"}}, mostIDs)
	if err != nil {
		return nil
	}
	for _, p := range m.Minions {
		ids = append(ids, p.ID)
	}
	return ids
}
