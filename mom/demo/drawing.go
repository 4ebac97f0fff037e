package demo

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/mom/command"
)

// name is what a node or minion of the demo may be called: its folder gets that name.
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// drawn reads the tree that is asked for. What is wrong with it is the error of a wrong
// command line, with a tree that is right beside it.
func drawn(text string) (localcluster.Spec, error) {
	spec, err := localcluster.Parse(text)
	if err == nil {
		err = check(spec)
	}
	if err != nil {
		return spec, command.Exit(command.ExitUsage, fmt.Errorf("option --tree: %w\n\nDraw it so, a node on each line with its minions behind a colon, and two blanks more per tier:\n\n%s", err, Tree))
	}
	return spec, nil
}

// check refuses what could not be grown, or shown.
func check(spec localcluster.Spec) error {
	seen := map[string]bool{}
	id := func(id, what string) error {
		switch {
		case !name.MatchString(id):
			return fmt.Errorf("%q cannot be the name of a %s: letters, digits and . _ - are allowed; minions stand behind a colon", id, what)
		case seen[id]:
			return fmt.Errorf("%s stands there twice; each node and minion has a name of its own", id)
		}
		seen[id] = true
		return nil
	}
	var walk func(s localcluster.Spec) error
	walk = func(s localcluster.Spec) error {
		if err := id(s.ID, "node"); err != nil {
			return err
		}
		for _, m := range s.Minions {
			if err := id(m, "minion"); err != nil {
				return err
			}
		}
		for _, c := range s.Nodes {
			if err := walk(c); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(spec); err != nil {
		return err
	}
	if _, minions := spec.Count(); minions == 0 {
		return errors.New("it has no minion, so there would be nobody to answer")
	}
	return nil
}
