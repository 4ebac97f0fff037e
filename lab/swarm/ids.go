package swarm

import (
	"errors"
	"fmt"
	"strings"
)

// IDs names minions by a running number. Several processes share a range by First.
type IDs struct {
	// Pattern holds one %d, with a width or not: web-%05d.
	Pattern string
	// First is the number of the first, Count how many there are.
	First, Count int
}

// ID is the name of the minion with index i, from 0.
func (d IDs) ID(i int) string { return fmt.Sprintf(d.Pattern, d.First+i) }

// All are the names in order.
func (d IDs) All() []string {
	ids := make([]string, d.Count)
	for i := range ids {
		ids[i] = d.ID(i)
	}
	return ids
}

func (d IDs) validate() error {
	var faults []error
	if d.Count < 1 || d.First < 0 {
		faults = append(faults, fmt.Errorf("%d minions from number %d on: at least one, from 0 on", d.Count, d.First))
	}
	one := fmt.Sprintf(d.Pattern, 1)
	if strings.Contains(one, "%!") || one == fmt.Sprintf(d.Pattern, 2) {
		faults = append(faults, fmt.Errorf("the pattern %q does not number minions: it needs one %%d, such as web-%%05d", d.Pattern))
	}
	if strings.ContainsAny(one, "/\\\x00 \t\n") || strings.HasPrefix(one, ".") {
		faults = append(faults, fmt.Errorf("the pattern %q gives %q, which is no minion id", d.Pattern, one))
	}
	return errors.Join(faults...)
}
