package report

import (
	"fmt"
	"strings"

	"github.com/momtree/mom/client"
)

// mostNamed is how many missing minions are named one by one, as Salt does. More than a
// person reads are counted by their reasons.
const mostNamed = 1000

// count reports the missing minions that are not named.
func (r *Report) count(a *client.Account) {
	if r.o.HideTimeout {
		return
	}
	reasons, n := map[string]int{}, 0
	for id := range r.unnamed {
		if m, still := r.missing[id]; still {
			reasons[m.Reason]++
			n++
		}
	}
	if cut := a.Unnamed(); cut > 0 && !r.o.Batch { // a batch that stops names nobody it has not asked
		reasons["unknown, the list was larger than max_event_size"] += cut
		n += cut
	}
	if n == 0 {
		return
	}
	var parts []string
	for _, reason := range sorted(reasons) {
		parts = append(parts, fmt.Sprintf("%s: %d", reason, reasons[reason]))
	}
	more := ""
	if len(r.told) > 0 {
		more = " more"
	}
	r.printf(r.o.Errors, "%d%s minions did not return [%s]. For their names run: salt-run jobs.list_job %s\n", n, more, strings.Join(parts, "; "), r.jid)
}
