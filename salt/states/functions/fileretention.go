package functions

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/momtree/mom/salt/states"
	"github.com/momtree/mom/value"
)

func init() {
	Register("file", Function{
		Name: "retention_schedule", Run: fileRetention,
		Spec: states.Spec{Args: args([]string{"name", "retain"}, "strptime_format", nil, "timezone", nil)}, Doc: `
Removes backups from a folder except those that a schedule keeps.

retain
    A map with the number to keep (or all): most_recent, first_of_hour,
    first_of_day, first_of_week, first_of_month, first_of_year.
strptime_format
    The format of the time in the names, such as backup-%Y%m%d.tar; files with
    other names are kept. Without it, the time of the last change counts.

timezone is not supported: times are local ones.
`,
	})
}

// backup is one file with its time, as sort keys of the calendar and of weeks.
type backup struct {
	name      string
	ymd, week [5]float64
}

func backupAt(name string, t time.Time) backup {
	epoch := float64(t.UnixNano()) / 1e9
	_, week := t.ISOWeek()
	return backup{
		name: name,
		ymd:  [5]float64{float64(t.Year()), float64(t.Month()), float64(t.Day()), float64(t.Hour()), epoch},
		// As in Salt, the year is that of the calendar, not of the week.
		week: [5]float64{float64(t.Year()), float64(week), float64((t.Weekday() + 6) % 7), epoch, epoch},
	}
}

// retentionDepths are how many keys must be equal within one group of a rule.
var retentionDepths = map[string]int{
	"first_of_year": 1, "first_of_month": 2, "first_of_day": 3, "first_of_hour": 4, "most_recent": 5, "first_of_week": 2,
}

func fileRetention(_ context.Context, c *Call) (*states.Result, error) {
	name := expand(c.Name())
	switch {
	case name == "":
		return bad(name, "Must provide name to file.retention_schedule"), nil
	case !isDir(name):
		return bad(name, "Name provided to file.retention must be a directory"), nil
	case c.Value("timezone") != nil:
		return bad(name, "timezone of file.retention_schedule is not supported by this minion: times are local ones, leave it out"), nil
	}
	backups, ignored, err := c.backups(name)
	if err != nil {
		return nil, err
	}
	kept, err := c.retained(backups)
	if err != nil {
		return nil, err
	}
	var gone, stay []string
	for _, b := range backups {
		if kept[b.name] {
			stay = append(stay, b.name)
		} else {
			gone = append(gone, b.name)
		}
	}
	res := good(name, fmt.Sprintf("%d backups were removed from %s.\n", len(gone), name))
	for _, list := range [][]string{gone, stay, ignored} {
		slices.Sort(list)
		slices.Reverse(list)
	}
	if len(gone) > 0 {
		res.Changes = value.NewMap("retained", texted(stay), "deleted", texted(gone), "ignored", texted(ignored))
	}
	if c.Test {
		res.Comment = fmt.Sprintf("%d backups would have been removed from %s.\n", len(gone), name)
		if len(gone) > 0 {
			res.Result = nil
		}
		return res, nil
	}
	for _, f := range gone {
		if err := os.RemoveAll(filepath.Join(name, f)); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// backups returns the files of a folder with their times; ignored have none.
func (c *Call) backups(dir string) (backups []backup, ignored []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	ignored = []string{".", ".."}
	var layout *strptime
	if c.Truth("strptime_format") {
		if layout, err = newStrptime(c.Str("strptime_format")); err != nil {
			return nil, nil, err
		}
	}
	for _, e := range entries {
		var at time.Time
		ok := false
		if layout != nil {
			at, ok = layout.parse(e.Name())
		} else if st, err := e.Info(); err == nil {
			at, ok = st.ModTime().Local(), true
		}
		if ok {
			backups = append(backups, backupAt(e.Name(), at))
		} else {
			ignored = append(ignored, e.Name())
		}
	}
	return backups, ignored, nil
}

// retained returns the names that the rules keep.
func (c *Call) retained(backups []backup) (map[string]bool, error) {
	rules, ok := c.Value("retain").(*value.Map)
	if !ok {
		return nil, fmt.Errorf("retain of file.retention_schedule must be a map of rules and numbers, not %s", pystr(c.Value("retain")))
	}
	kept := map[string]bool{}
	for _, k := range rules.Keys() {
		rule := pystr(k)
		v, _ := rules.GetKey(k)
		n, isNumber := v.(int64)
		if v == "all" {
			n, isNumber = math.MaxInt32, true
		}
		depth, known := retentionDepths[rule]
		if !known {
			return nil, fmt.Errorf("file.retention_schedule has no rule %s; use most_recent, first_of_hour, first_of_day, first_of_week, first_of_month, first_of_year", rule)
		}
		if !isNumber {
			return nil, fmt.Errorf("%s of file.retention_schedule must be a number or all, not %s", rule, pystr(v))
		}
		keys := func(b backup) [5]float64 { return b.ymd }
		if rule == "first_of_week" {
			// Salt keeps one more.
			keys, n = func(b backup) [5]float64 { return b.week }, n+1
		}
		for _, name := range firstOf(backups, keys, depth, int(n)) {
			kept[name] = true
		}
	}
	return kept, nil
}

// firstOf returns the earliest file in each of the n latest groups. Files in a group share
// the first depth keys.
func firstOf(backups []backup, keys func(backup) [5]float64, depth, n int) []string {
	sorted := slices.Clone(backups)
	slices.SortStableFunc(sorted, func(a, b backup) int {
		x, y := keys(a), keys(b)
		return slices.Compare(x[:], y[:])
	})
	var out []string
	for end := len(sorted); end > 0 && len(out) < n; {
		group := keys(sorted[end-1])
		begin := end - 1
		for begin > 0 {
			if before := keys(sorted[begin-1]); slices.Compare(before[:depth], group[:depth]) != 0 {
				break
			}
			begin--
		}
		out = append(out, sorted[begin].name)
		end = begin
	}
	return out
}
