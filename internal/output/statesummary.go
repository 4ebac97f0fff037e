package output

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/momtree/mom/salt/pyfmt"
)

// summary writes counts and totals.
func (w *stateWriter) summary(host string) {
	rule := len("Succeeded: ")
	if most := max(w.succeeded, w.unchanged, w.failed, w.odd, w.warned); most > 0 {
		rule += len(strconv.Itoa(most))
	}
	counted := func(label, text string) string { return fmt.Sprintf("%s: %*s", label, rule-len(label)-2, text) }
	w.put(w.cyan, "\nSummary for "+host+"\n"+strings.Repeat("-", rule))
	var more []string
	if w.unchanged > 0 {
		more = append(more, fmt.Sprintf("%sunchanged=%d%s", w.lightYellow, w.unchanged, w.end))
	}
	if w.changed > 0 {
		more = append(more, fmt.Sprintf("%schanged=%d%s", w.green, w.changed, w.end))
	}
	good := w.green + counted("Succeeded", strconv.Itoa(w.succeeded+w.unchanged)) + w.end
	if len(more) > 0 {
		good += " (" + strings.Join(more, ", ") + ")"
	}
	w.out = append(w.out, good)
	color := w.cyan
	if w.failed > 0 {
		color = w.red
	}
	w.put(color, counted("Failed", strconv.Itoa(w.failed)))
	all := w.succeeded + w.unchanged + w.failed + w.odd
	if w.o.States.Percent && all > 0 {
		w.put(w.green, counted("Success %", percent(w.succeeded+w.unchanged, all)))
		w.put(color, counted("Failure %", percent(w.failed, all)))
	}
	if w.warned > 0 {
		w.put(w.lightRed, counted("Warnings", strconv.Itoa(w.warned)))
	}
	w.put(w.cyan, fmt.Sprintf("%s\nTotal states run: %*d", strings.Repeat("-", rule), rule-7, all))
	if w.o.States.NoTimes {
		return
	}
	took, unit := w.took+w.longest, "ms"
	if took > 999 {
		took, unit = took/1000, "s"
	}
	w.put(w.cyan, fmt.Sprintf("Total run time: %*.3f %s", rule-5, took, unit))
}

// percent returns n of all in percent, with two digits, rounded and printed like in Python.
func percent(n, all int) string {
	f, err := strconv.ParseFloat(strconv.FormatFloat(float64(n)/float64(all)*100, 'f', 2, 64), 64)
	if err != nil {
		panic(err) // it was made here
	}
	return pyfmt.Float(f)
}
