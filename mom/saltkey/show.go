package saltkey

import (
	"errors"
	"fmt"

	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/value"
)

func (k *run) listAll() error { return k.list(keys.Listed...) }

func (k *run) list(states ...keys.State) error {
	return k.with(func(s ring) error { return k.show(selected(s.All(states...), states, true)) })
}

func (k *run) print(glob string) error {
	return k.with(func(s ring) error {
		return k.shown(glob, s.Match(glob), s.Print)
	})
}

func (k *run) finger(glob string) error {
	return k.with(func(s ring) error {
		sel := s.Match(glob)
		local, err := s.Own(glob)
		if err != nil {
			return err
		}
		sel[keys.Local] = local
		return k.shown(glob, sel, s.Finger)
	})
}

func (k *run) fingerMaster() error {
	return k.with(func(s ring) error {
		local, err := s.Own("master.*")
		if err != nil {
			return err
		}
		if len(local) == 0 {
			return command.Exit(command.ExitFailure, errors.New("the master has no keys yet; it creates them on its first start"))
		}
		return k.shown("master.*", keys.Selection{keys.Local: local}, s.Finger)
	})
}

// shown prints the result of read for the selected keys. Keys that cannot be read are reported beside
// the others.
func (k *run) shown(glob string, sel keys.Selection, read func(keys.Selection) ([]keys.Shown, error)) error {
	if sel.Len() == 0 {
		if !k.plain() {
			if err := k.show(value.NewMap()); err != nil {
				return err
			}
		}
		return command.InSaltsWay(command.Exit(command.ExitFailure, fmt.Errorf("The key glob '%s' does not match any keys.", glob)), "", "")
	}
	rows, err := read(sel)
	folders := value.NewMap()
	for _, st := range append(append([]keys.State{}, keys.Listed...), keys.Local) {
		m := value.NewMap()
		for _, r := range rows {
			if r.State == st {
				m.Set(r.ID, r.Text)
			}
		}
		if m.Len() > 0 {
			folders.Set(st.Folder(), m)
		}
	}
	return errors.Join(k.show(folders), err)
}
