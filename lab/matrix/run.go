package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/lab/peers"
)

// Options configure [Play].
type Options struct {
	// Program is a built mom.
	Program string
	// Mom is its version, as shown on the page.
	Mom string
	// Dir is a directory with a short name (socket paths have at most 107 bytes). The ends of
	// the logs of worlds with faults stay there.
	Dir string
	// Net is the first two bytes of the loopback addresses: "127.52".
	Net string
	// Only selects pairings; nil: all.
	Only func(Pairing) bool
	// Say receives progress messages.
	Say func(format string, args ...any)
}

// Play plays all pairings, one after the other. If a world cannot be played, its table has the error
// and the others are played all the same. The Salts are those of SALT_PEER, SALT_PEER3 and
// SALT_PEER8.
func Play(ctx context.Context, o Options, salts []*peers.Salt) (r Run, err error) {
	of := map[kind]*peers.Salt{}
	for i, k := range []kind{salt6, salt7, salt8} {
		of[k] = salts[i]
	}
	number := 0
	address := func() string {
		number++
		return fmt.Sprintf("%s.%d.%d", o.Net, 1+os.Getpid()%250, number)
	}
	for i, p := range Pairings() {
		if o.Only != nil && !o.Only(p) {
			continue
		}
		w := &world{Pairing: p, dir: filepath.Join(o.Dir, fmt.Sprint(i)), program: o.Program, salts: of, address: address}
		t, err := w.play(ctx, o)
		if ctx.Err() != nil {
			return r, fmt.Errorf("%s: %w", p.Name(), err)
		}
		if err != nil {
			t.Error = short(err.Error())
			o.Say("%s: %s", p.Name(), t.Error)
		}
		r.Tables = append(r.Tables, t)
	}
	return r, nil
}

func seconds(d time.Duration) float64 { return float64(d.Milliseconds()/100) / 10 }

// play plays one world and removes it.
func (w *world) play(ctx context.Context, o Options) (t Table, err error) {
	began := time.Now()
	t = Table{Name: w.Name(), Mom: o.Mom, Began: began.UTC().Truncate(time.Second), Salts: map[kind]string{}}
	for _, k := range w.Pairing.salts() {
		t.Salts[k] = w.salts[k].Version
	}
	logs := fmt.Sprintf("%s.log", w.dir)
	defer func() {
		t.Seconds = seconds(time.Since(began))
		if err != nil || len(Run{Tables: []Table{t}}.Faults()) > 0 {
			err = errors.Join(err, w.tails(logs))
			o.Say("%s: ends of the logs are in %s", t.Name, logs)
		}
		w.end()
		err = errors.Join(err, os.RemoveAll(w.dir))
	}()
	o.Say("%s", t.Name)
	if err := w.grow(ctx); err != nil {
		return t, fmt.Errorf("start the world: %w", err)
	}
	o.Say("%s: started after %.0f s", t.Name, time.Since(began).Seconds())
	cells := map[kind][]Cell{}
	var restarts []Row
	for _, row := range Rows() {
		if row.restarts {
			restarts = append(restarts, row)
			continue
		}
		w.ask(ctx, o, row, cells)
	}
	var columns []Column
	for _, k := range w.Commands {
		columns = append(columns, w.beside(ctx, o, k)...)
	}
	for _, row := range restarts {
		w.ask(ctx, o, row, cells)
	}
	for _, k := range w.Minions {
		t.Columns = append(t.Columns, Column{Kind: OfMinion, Of: k, Cells: cells[k]})
	}
	t.Columns = append(t.Columns, columns...)
	return t, ctx.Err()
}

// ask plays one row and records its cells.
func (w *world) ask(ctx context.Context, o Options, row Row, cells map[kind][]Cell) {
	if !row.asked(w.Pairing) || ctx.Err() != nil {
		return
	}
	began := time.Now()
	v := row.ask(ctx, w)
	for _, k := range w.Minions {
		cells[k] = append(cells[k], Cell{row.Name, v[k], seconds(time.Since(began))})
		if v[k] != "" {
			o.Say("%s: %s: %s", w.Column(k), row.Name, v[k])
		}
	}
	o.Say("%s: %s, %.1f s", w.Name(), row.Name, time.Since(began).Seconds())
}

// beside plays the checks of the commands and the API of another kind beside the top.
func (w *world) beside(ctx context.Context, o Options, k kind) (out []Column) {
	b := &beside{world: w, kind: k, salt: w.salts[k]}
	for _, x := range checks() {
		col := Column{Kind: x.of, Of: k}
		var failed error
		if x.of == OfAPI {
			var end func()
			if end, failed = b.serve(ctx); failed == nil {
				defer end()
			}
		}
		for _, c := range x.checks {
			if !c.asked(k) {
				continue
			}
			began, err := time.Now(), failed
			if err == nil {
				err = c.ask(ctx, b)
			}
			text := ""
			if err != nil {
				text = short(err.Error())
			}
			col.Cells = append(col.Cells, Cell{c.Name, text, seconds(time.Since(began))})
			if text != "" {
				o.Say("%s of %s at %s: %s: %s", col.Kind, k, w.Name(), c.Name, text)
			}
		}
		o.Say("%s: %s of %s, %d checks", w.Name(), col.Kind, k, len(col.Cells))
		out = append(out, col)
	}
	return out
}
