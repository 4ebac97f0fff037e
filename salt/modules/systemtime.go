package modules

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func init() {
	offset := Arg{Name: "utc_offset"}
	const about = `utc_offset is that of another time zone, such as "'-0500'"; the host's own otherwise.`
	get := func(name, what, layout string) {
		Register("system", Function{Name: name, Args: []Arg{offset}, Run: systemNow(layout), Doc: `
Return the ` + what + ` of the host. ` + about + `

CLI Example:

    salt '*' system.` + name + `
`})
	}
	get("get_system_time", "time, as HH:MM:SS AM/PM,", "03:04:05 PM")
	get("get_system_date", "date, as Mon 01/02/2006,", "Mon 01/02/2006")
	get("get_system_date_time", "date and time, as YYYY-MM-DD hh:mm:ss,", "2006-01-02 15:04:05")
	Register("system",
		Function{Name: "has_settable_hwclock", Run: systemHardwareClock, Doc: `
Return whether the host has a hardware clock that can be set.

CLI Example:

    salt '*' system.has_settable_hwclock
`},
		Function{Name: "set_system_time", Args: []Arg{{Name: "newtime", Required: true}, offset}, Run: systemSetTime, Doc: `
Set the time of the host to newtime: HH:MM or HH:MM:SS, also with AM or PM.
` + about + ` Returns False for an invalid time.

CLI Example:

    salt '*' system.set_system_time "'11:20'"
`},
		Function{Name: "set_system_date", Args: []Arg{{Name: "newdate", Required: true}, offset}, Run: systemSetDate, Doc: `
Set the date of the host to newdate: YYYY-MM-DD, MM-DD-YYYY or MM-DD-YY, also with
slashes. ` + about + `

CLI Example:

    salt '*' system.set_system_date '03-28-13'
`},
		Function{
			Name: "set_system_date_time", Run: systemSetDateTime,
			Args: []Arg{{Name: "years"}, {Name: "months"}, {Name: "days"}, {Name: "hours"}, {Name: "minutes"}, {Name: "seconds"}, offset},
			Doc: `
Set the date and time of the host: years, months, days, hours, minutes and
seconds; those not given stay as they are. ` + about + `
The hardware clock follows.

CLI Example:

    salt '*' system.set_system_date_time 2015 5 12 11 37 53 "'-0500'"
`,
		},
	)
}

// hostNow is the clock; tests replace it.
var hostNow = time.Now

var offsetForm = regexp.MustCompile(`^([+-])?(\d\d)(\d\d)$`)

// zoned returns the time of the host, in the time zone of utc_offset if given.
func (c *Call) zoned() (time.Time, error) {
	v := c.Value("utc_offset")
	if v == nil {
		return hostNow(), nil
	}
	m := offsetForm.FindStringSubmatch(PyStr(v))
	if m == nil {
		return time.Time{}, InvocationErrorf("Invalid UTC offset")
	}
	hours, _ := strconv.Atoi(m[2])
	minutes, _ := strconv.Atoi(m[3])
	secs := (hours*60 + minutes) * 60
	if m[1] == "-" {
		secs = -secs
	}
	return hostNow().In(time.FixedZone("", secs)), nil
}

func systemNow(layout string) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) {
		now, err := c.zoned()
		return now.Format(layout), err
	}
}

// parsed parses a time with the first layout that matches.
func parsed(text string, layouts ...string) (time.Time, bool) {
	for _, l := range layouts {
		if t, err := time.Parse(l, strings.ToUpper(text)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func systemSetTime(ctx context.Context, c *Call) (any, error) {
	t, ok := parsed(c.Str("newtime"), "3:4:5 PM", "3:4 PM", "15:4:5", "15:4")
	if !ok {
		return false, nil
	}
	now, err := c.zoned()
	if err != nil {
		return nil, err
	}
	return c.setClock(ctx, time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), t.Second(), 0, now.Location()))
}

func systemSetDate(ctx context.Context, c *Call) (any, error) {
	d, ok := parsed(c.Str("newdate"), "2006-1-2", "1-2-2006", "1-2-06", "1/2/2006", "1/2/06", "2006/1/2")
	if !ok {
		return nil, InvocationErrorf("Invalid date format")
	}
	now, err := c.zoned()
	if err != nil {
		return nil, err
	}
	return c.setClock(ctx, time.Date(d.Year(), d.Month(), d.Day(), now.Hour(), now.Minute(), now.Second(), 0, now.Location()))
}

func systemSetDateTime(ctx context.Context, c *Call) (any, error) {
	now, err := c.zoned()
	if err != nil {
		return nil, err
	}
	parts := []struct {
		name           string
		now, low, high int
	}{
		{"years", now.Year(), 1, 9999},
		{"months", int(now.Month()), 1, 12},
		{"days", now.Day(), 1, 31},
		{"hours", now.Hour(), 0, 23},
		{"minutes", now.Minute(), 0, 59},
		{"seconds", now.Second(), 0, 59},
	}
	var got [6]int
	for i, p := range parts {
		got[i] = p.now
		if c.Value(p.name) == nil {
			continue
		}
		n, err := c.Int(p.name)
		if err != nil {
			return nil, err
		}
		if n < int64(p.low) || n > int64(p.high) {
			return nil, InvocationErrorf("%s must be in %d..%d", strings.TrimSuffix(p.name, "s"), p.low, p.high)
		}
		got[i] = int(n)
	}
	at := time.Date(got[0], time.Month(got[1]), got[2], got[3], got[4], got[5], 0, now.Location())
	if at.Day() != got[2] {
		return nil, InvocationErrorf("day is out of range for month")
	}
	return c.setClock(ctx, at)
}

// setClock sets the clock of the host with the program date (to the minute where it does
// not support seconds), and the hardware clock afterwards.
func (c *Call) setClock(ctx context.Context, at time.Time) (any, error) {
	words := []string{"date"}
	if c.Value("utc_offset") != nil {
		words, at = append(words, "-u"), at.UTC()
	}
	first, err := runSystem(ctx, c, append(words, at.Format("010215042006.05"))...)
	if err != nil {
		return nil, err
	}
	if first.retcode != 0 {
		again, err := runSystem(ctx, c, append(words, at.Format("010215042006"))...)
		if err != nil {
			return nil, err
		}
		if again.retcode != 0 {
			return nil, CommandErrorf("date failed: %s", first.stderr)
		}
	}
	if has, err := systemHardwareClock(ctx, c); err != nil || has == false {
		return true, err
	}
	r, err := runSystem(ctx, c, "hwclock", "--systohc")
	if err == nil && r.retcode != 0 {
		err = CommandErrorf("hwclock failed to set hardware clock from software clock: %s", r.stderr)
	}
	return err == nil, err
}

func systemHardwareClock(ctx context.Context, c *Call) (any, error) {
	if which("hwclock") == "" {
		return false, nil
	}
	r, err := runSystem(ctx, c, "hwclock", "--test", "--systohc")
	return err == nil && r.retcode == 0, err
}
