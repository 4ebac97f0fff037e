package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/client"
)

// Master gives the master that the command asks, under the login of the line: the one of
// this machine, or where --api says. The configuration, which says how results are shown, is
// that of DIR/master, which need not be there for a master from afar.
func (w *Work) Master() (client.Master, Configuration, error) {
	f := w.Frame
	afar, err := f.Afar()
	if err != nil {
		return nil, nil, err
	}
	if afar {
		return w.afar()
	}
	o, err := client.FromConfig(f.Dir, w.Log)
	if err != nil {
		return nil, nil, err
	}
	f.Output.Configure(&o, w.Log)
	c := client.New(o)
	w.Finally(c.Close)
	as, err := f.Login.As(w.Cmd.Context(), c, w.Cmd.InOrStdin(), w.Stderr)
	if err != nil {
		return nil, nil, err
	}
	if as == c {
		w.own = c
	}
	return as, &o, nil
}

// Own is the master of this machine, asked by its own key without a login; nil for another.
// [Work.Master] comes first.
func (w *Work) Own() *client.Client { return w.own }

// Afar tells whether the command asks a master through its REST API.
func (f *Frame) Afar() (bool, error) {
	if err := f.API.settle(f.Dir); err != nil {
		return false, err
	}
	return f.API.at.url != "", nil
}

// Unasked is the end of a command that the master has not answered, as Salt words it. From
// afar it may have answered something else, and a user who lacks a permission does not learn
// whether it runs.
func (f *Frame) Unasked(err error) error {
	if f.API.at.url != "" && !errors.Is(err, client.ErrUnreachable) || errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("The salt master could not be contacted. Is master running?\n%w", err)
}

func (w *Work) afar() (client.Master, Configuration, error) {
	f := w.Frame
	var o client.Options
	if _, err := os.Stat(filepath.Join(f.Dir, "master")); err == nil {
		if o, err = client.FromConfig(f.Dir, nil); err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, nil, err
		}
	}
	f.Output.Configure(&o, w.Log)
	c, err := f.API.open(w, &f.Login)
	if err != nil {
		return nil, nil, err
	}
	w.Finally(c.Close)
	return c, &o, nil
}
