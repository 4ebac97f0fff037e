package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/client"
)

// Master returns the master that the command uses, with the login of the command line: that of this
// machine, or the one behind --api. Output options come from DIR/master, which need not exist for a
// remote master.
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

// Own returns the client of this machine's master, with its own key and without a login, or nil for
// another master. Call [Work.Master] first.
func (w *Work) Own() *client.Client { return w.own }

// Afar reports whether the command asks a remote master through its REST API.
func (f *Frame) Afar() (bool, error) {
	if err := f.API.settle(f.Dir); err != nil {
		return false, err
	}
	return f.API.at.url != "", nil
}

// Unasked returns the error of a command that got no answer from the master, in Salt's words. A
// remote master may have answered with another error, and a user without permission must not learn
// whether the master runs.
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
