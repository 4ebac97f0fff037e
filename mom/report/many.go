package report

import (
	"fmt"
	"maps"
	"strings"

	"github.com/momtree/mom/client"
)

// mostNamed is how many missing minions are named one by one, as in Salt. More are counted by
// reason.
const mostNamed = 1000

// count prints the counts of missing minions that are not named.
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
	if cut := a.Unnamed(); cut > 0 && !r.o.Batch { // a stopped batch does not name minions it has not asked
		for reason, k := range unnamed(a, cut) {
			reasons[reason] += k
		}
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
	if len(r.texts) > 0 {
		more = " more"
	}
	r.printf(r.o.Errors, "%d%s minions did not return [%s]. For their names run: salt-run jobs.list_job %s\n", n, more, strings.Join(parts, "; "), r.jid)
}

// Counts reports whether an account that counts missing minions without naming them has everything
// that the report shows.
func (r *Report) Counts(a *client.Account) bool {
	return a.Unnamed() > mostNamed && !r.o.Summary && a.Reasons != nil && a.Reasons[queued] == 0
}

// unnamed counts by reason the minions that the account does not name.
func unnamed(a *client.Account, cut int) map[string]int {
	left := map[string]int{}
	maps.Copy(left, a.Reasons)
	for _, m := range a.Missing {
		left[m.Reason]--
	}
	sum := 0
	for reason, n := range left {
		if sum += n; n <= 0 {
			delete(left, reason)
		}
	}
	if sum != cut {
		return map[string]int{"unknown, the list was larger than max_event_size": cut}
	}
	return left
}
