package salt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
	"github.com/momtree/mom/mom/report"
)

// size is --batch with what goes with it.
func (f *flags) size() client.Batch {
	return client.Batch{Size: strings.TrimSpace(f.batch), Wait: time.Duration(f.batchWait * float64(time.Second)), FailHard: f.failhard}
}

// batch runs the job on a few minions at a time and shows each round.
func (r *call) batch(ctx context.Context) (err error) {
	o := r.shown(nil)
	o.Batch = true
	rep := report.New(o)
	b, err := r.client.Batch(ctx, r.job, r.f.size())
	if err != nil {
		return r.refused(ctx, err, "")
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	rep.Job(b.Asked.JID)
	for _, id := range slices.Sorted(maps.Keys(b.Asked.Account.Missing)) {
		if r.f.static || r.f.hideTimeout {
			break
		}
		rep.Round("Minion %s did not respond. No job will be sent.\n", id)
	}
	jid, worst := "", 0 // the job that was heard of last, the highest return code
	for {
		u, err := b.Next(ctx)
		switch {
		case u.Started != "":
			jid = u.Started
		case u.JID != "":
			jid = u.JID
		}
		if err != nil {
			return r.refused(ctx, err, jid)
		}
		if u.Return != nil {
			worst = max(worst, u.Return.Retcode)
		}
		if u.Ended != nil {
			code, err := rep.Close(u.Ended)
			if code == report.Failed && worst > 0 {
				code = worst & 0xff // the return code itself, as Salt's batch mode has it
			}
			return verdict(code, err)
		}
		if err := r.round(ctx, rep, u); err != nil {
			return r.refused(ctx, err, jid)
		}
	}
}

// batchStarter is a master that runs a job in batches by itself.
type batchStarter interface {
	StartBatch(ctx context.Context, j client.Job, o client.Batch) (client.BatchStarted, error)
}

// startBatch has the master run the job on a few minions at a time, and does not wait (--batch with
// --async). What it prints is what Salt does.
func (r *call) startBatch(ctx context.Context) error {
	by, ok := r.client.(batchStarter)
	if !ok {
		return command.Exit(report.NoReturn, errors.New("--batch with --async is not in the REST API; run the command on the master's own machine, or without --async"))
	}
	b, err := by.StartBatch(ctx, r.job, r.f.size())
	if err != nil {
		return r.refused(ctx, err, "")
	}
	if b.JID == "" {
		_, err := fmt.Fprintln(r.stdout, "No minions matched the target.")
		return verdict(report.NoReturn, err)
	}
	out := ""
	for _, id := range slices.Sorted(maps.Keys(b.Asked.Account.Missing)) {
		out += fmt.Sprintf("Minion %s did not respond. No job will be sent.\n", id)
	}
	_, err = fmt.Fprintf(r.stdout, "%sExecuted batch command with job ID: %s\n", out, b.JID)
	return err
}

// round shows what happens in the rounds.
func (r *call) round(ctx context.Context, rep *report.Report, u client.BatchUpdate) error {
	switch {
	case u.Begins != nil && !r.f.static:
		rep.Round("\nExecuting run on ['%s']\n\n", strings.Join(u.Begins, "', '"))
	case u.Started != "":
		rep.Started(u.Started)
	case u.JID != "":
		rep.Job(u.JID)
	}
	if u.Stopped != "" {
		how := "did not return"
		if u.Return != nil {
			how = "returned with non-zero exit code"
		}
		r.log.Error("Minion " + u.Stopped + " " + how + ". Batch run stopped due to failhard") //nolint:sloglint // Salt's text
	}
	if u.Halted != "" {
		r.log.Warn("batch stopped, no further minion starts", "reason", u.Halted)
		return nil
	}
	if u.Complete != nil {
		return r.fetch(ctx, u.JID, rep)
	}
	return rep.Update(u.Update)
}

// consistent refuses options that mean nothing together.
func (f *flags) consistent() error {
	switch {
	case f.batch != "" && f.queue > 0:
		return &options.Error{Text: "--batch and --queue exclude each other: a round ends when all have answered"}
	case f.batch != "" && f.doc:
		return &options.Error{Text: "--batch and --doc exclude each other"}
	case f.progress && (f.async || f.batch != "" || f.doc || f.preview):
		return &options.Error{Text: "--progress shows the returns of one job; it does not go with --async, --batch, --doc and --preview-target"}
	case f.subset < 0 || f.batchWait < 0 || math.IsNaN(f.batchWait) || f.batchWait > 1e6:
		return &options.Error{Text: "--subset and --batch-wait take numbers from 0 on (seconds up to 1000000)"}
	}
	if f.batch == "" {
		return nil
	}
	if err := f.size().Validate(); err != nil {
		return &options.Error{Text: err.Error()}
	}
	return nil
}
