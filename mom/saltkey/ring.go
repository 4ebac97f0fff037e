package saltkey

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/momtree/mom/master/keys"
)

// ring is the keys of a master: the folders on its machine, or those that its wheel shows to
// whoever logs in.
type ring interface {
	// All gives the keys in the states given.
	All(states ...keys.State) keys.Selection
	// Match gives those whose id fits a glob, of the states given, or of all that are listed.
	Match(glob string, states ...keys.State) keys.Selection
	// Own names the master's own files that fit a glob.
	Own(glob string) ([]string, error)
	// Print gives the texts of the keys selected, Finger their fingerprints. A key that
	// cannot be read is in the error, beside the others.
	Print(sel keys.Selection) ([]keys.Shown, error)
	Finger(sel keys.Selection) ([]keys.Shown, error)
	// Apply does what a change says to the keys selected, with all that it brings along, and
	// gives those that it was done to.
	Apply(c change, sel keys.Selection) ([]keys.Key, error)
}

// folders is the ring of the master of this machine. It need not run.
type folders struct {
	*keys.Store
	k *run
}

func (f folders) Own(glob string) ([]string, error) { return f.LocalKeys(glob) }

func (f folders) Finger(sel keys.Selection) ([]keys.Shown, error) { return f.Store.Finger(sel, "") }

func (f folders) Apply(c change, sel keys.Selection) ([]keys.Key, error) {
	done, err := c.apply(f.Store, sel)
	was := keys.Selection{}
	for _, d := range done {
		was[d.State] = append(was[d.State], d.ID)
	}
	return done, errors.Join(err, f.k.follow(c, was, done))
}

// with opens the keys for fn.
func (k *run) with(fn func(r ring) error) (err error) {
	if k.master != nil {
		r, err := openWheel(k.cmd.Context(), k.master, k.log)
		if err != nil {
			return k.refused(err)
		}
		return k.refused(fn(r))
	}
	// They are there once a master has run; a command that looks does not make them.
	if _, err := os.Stat(k.conf.PkiDir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there are no keys: pki_dir %s does not exist; no master has run with the configuration in %s", k.conf.PkiDir, k.Dir)
	}
	s, err := keys.Open(keys.Options{PkiDir: k.conf.PkiDir, HashType: k.conf.HashType, AutosignTimeout: k.conf.AutosignTimeout, Log: k.log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return fn(folders{s, k})
}
