package saltkey

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/admitted"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/value"
)

// change is an action that alters keys.
type change struct {
	act    string // as in events
	done   string // as in messages
	states []keys.State
	apply  func(*keys.Store, keys.Selection) ([]keys.Key, error)
	no     bool // the meaning of an empty answer is no
}

func (k *run) accept(glob string) error {
	c := change{act: "accept", done: "accepted", states: []keys.State{keys.Pending}, apply: (*keys.Store).AcceptIn}
	if k.includeAll || k.includeRejected {
		c.states = append(c.states, keys.Rejected)
	}
	if k.includeDenied {
		c.states = append(c.states, keys.Denied)
	}
	return k.change(c, glob)
}

func (k *run) reject(glob string) error {
	c := change{act: "reject", done: "rejected", states: []keys.State{keys.Pending}, apply: (*keys.Store).RejectIn}
	if k.includeAll || k.includeAccepted {
		c.states = append(c.states, keys.Accepted)
	}
	if k.includeDenied {
		c.states = append(c.states, keys.Denied)
	}
	return k.change(c, glob)
}

func (k *run) delete(glob string) error {
	return k.change(change{act: "delete", done: "deleted", states: keys.Listed, apply: (*keys.Store).DeleteIn, no: true}, glob)
}

func (k *run) change(c change, glob string) error {
	return k.with(func(s ring) error {
		sel := s.Match(glob, c.states...)
		if sel.Len() == 0 {
			if !k.plain() {
				if err := k.show(value.NewMap()); err != nil {
					return err
				}
			}
			err := fmt.Errorf("The key glob '%s' does not match any %s keys.", glob, words(c.states))
			return command.InSaltsWay(command.Exit(command.ExitFailure, err), err.Error(), "")
		}
		yes, err := k.ask(c, sel)
		if err != nil || !yes {
			if !k.plain() {
				err = errors.Join(k.show(value.NewMap()), err)
			}
			return err
		}
		done, err := s.Apply(c, sel)
		if err != nil && c.act == "accept" {
			err = command.InSaltsWay(err, "", invalid(sel, done))
		}
		return errors.Join(k.changed(c, done), err)
	})
}

// invalid returns Salt's message for keys that could not be accepted.
func invalid(sel keys.Selection, done []keys.Key) string {
	var lines []string
	for st, ids := range sel {
		for _, id := range ids {
			if !slices.Contains(done, keys.Key{State: st, ID: id}) {
				lines = append(lines, "Unable to accept invalid key for "+id+".")
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// words lists states as Salt does in sentences.
func words(states []keys.State) string {
	names := map[keys.State]string{keys.Accepted: "accepted", keys.Pending: "unaccepted", keys.Rejected: "rejected", keys.Denied: "denied"}
	out := make([]string, len(states))
	for i, st := range states {
		out[i] = names[st]
	}
	if len(out) == 1 {
		return out[0]
	}
	return strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}

// errEOF is returned if the input ends before an answer.
var errEOF = errors.New("Error: EOF when reading a line")

// ask shows the change and asks for confirmation. If the output is a document for programs, both go
// to standard error.
func (k *run) ask(c change, sel keys.Selection) (bool, error) {
	preview := k.out
	if !k.plain() {
		preview = io.Discard
	}
	if k.plain() {
		if _, err := fmt.Fprintf(preview, "The following keys are going to be %s:\n", c.done); err != nil {
			return false, err
		}
		if err := k.show(selected(sel, c.states, false)); err != nil {
			return false, err
		}
	}
	if k.yes {
		return true, nil
	}
	question, to := "Proceed? [n/Y] ", k.cmd.OutOrStdout()
	if c.no {
		question = "Proceed? [N/y] "
	}
	if !k.plain() || k.quiet {
		to = k.stderr
		question = fmt.Sprintf("%d keys are going to be %s. %s", sel.Len(), c.done, question)
	}
	if _, err := fmt.Fprint(to, question); err != nil {
		return false, err
	}
	answer, err := readLine(k.cmd.Context(), k.cmd.InOrStdin())
	var stop *command.Signalled
	switch {
	case errors.As(err, &stop):
		return false, command.Exit(stop.Code(), errors.New("\nExiting on CTRL-c"))
	case errors.Is(err, io.EOF):
		fmt.Fprintln(to)
		return false, command.Exit(command.ExitFailure, errEOF)
	case err != nil:
		return false, fmt.Errorf("read the answer: %w", err)
	case answer == "":
		return !c.no, nil
	}
	return strings.HasPrefix(strings.ToLower(answer), "y"), nil
}

// readLine reads one line. A signal ends the wait with its cause.
func readLine(ctx context.Context, in io.Reader) (string, error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() { // ends with the process if no answer comes
		text, err := bufio.NewReader(in).ReadString('\n')
		if text != "" {
			err = nil
		}
		got <- answer{strings.TrimRight(text, "\r\n"), err}
	}()
	select {
	case a := <-got:
		return a.text, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// changed prints what was done.
func (k *run) changed(c change, done []keys.Key) error {
	slices.SortStableFunc(done, func(a, b keys.Key) int {
		return slices.Index(c.states, a.State) - slices.Index(c.states, b.State)
	})
	sel := keys.Selection{}
	for _, d := range done {
		sel[d.State] = append(sel[d.State], d.ID)
	}
	if !k.plain() {
		return k.show(selected(sel, c.states, false))
	}
	for _, d := range done {
		if _, err := fmt.Fprintf(k.out, "Key for minion %s %s.\n", d.ID, c.done); err != nil {
			return err
		}
	}
	return nil
}

// follow does the follow-up work of a change of keys. A running master watches the directories and
// does it itself.
func (k *run) follow(c change, sel keys.Selection, done []keys.Key) error {
	var errs []error
	if c.act != "accept" && len(sel[keys.Accepted]) > 0 && k.rotates() {
		// Only an accepted minion can know the shared key.
		if err := keys.RequestRotation(k.conf.Cachedir, k.conf.ID); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if c.act != "accept" { // even without a running master: the next key under this id is a new one
		for _, id := range sel[keys.Accepted] {
			for _, kind := range []admitted.Kind{admitted.Nodes, admitted.Tops} {
				if _, err := kind.Withdraw(k.conf.PkiDir, id); err != nil {
					errs = append(errs, err)
				}
			}
		}
	}
	if c.act == "delete" && !k.conf.PreserveMinionCache {
		for _, id := range sel[keys.Accepted] {
			if err := os.RemoveAll(filepath.Join(k.conf.Cachedir, "minions", id)); err != nil {
				errs = append(errs, fmt.Errorf("remove the data of minion %s: %w", id, err))
			}
		}
	}
	k.fireEvents(c, done)
	return errors.Join(errs...)
}

func (k *run) rotates() bool {
	if k.setRotate {
		return k.rotate
	}
	return k.conf.RotateAesKey
}

// eventTimeout bounds the exchange with the master's event bus.
const eventTimeout = 5 * time.Second

// fireEvents fires Salt's events of key changes if the master runs.
func (k *run) fireEvents(c change, done []keys.Key) {
	if len(done) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.cmd.Context()), eventTimeout)
	defer cancel()
	cl, err := client.Open(k.Dir)
	if err == nil {
		for _, d := range done {
			if err = cl.Fire(ctx, "salt/key", keys.Event(c.act, d.ID)); err != nil {
				break
			}
		}
		err = errors.Join(err, cl.Close())
	}
	switch {
	case errors.Is(err, client.ErrUnreachable):
		k.log.Debug("master not running, no event fired", "err", err)
	case err != nil:
		k.log.Warn("key event not fired", "err", err)
	}
}
