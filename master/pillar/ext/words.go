package ext

import (
	"errors"

	"github.com/momtree/mom/salt/pyfmt"
)

// words are those of a command that no shell runs.
func words(command string) ([]string, error) {
	argv, err := pyfmt.SplitCommand(command)
	if err == nil && len(argv) == 0 {
		err = errors.New("it has no words")
	}
	return argv, err
}
