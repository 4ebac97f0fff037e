package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The words in dates.
var (
	monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	dayNames   = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	fillers    = map[string]bool{"at": true, "on": true, "and": true, "of": true}

	clockWord = regexp.MustCompile(`^(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(am|pm|a|p)?(z|utc|gmt|[+-]\d{2}:?\d{2})?$`)
	hourWord  = regexp.MustCompile(`^(\d{1,2})(am|pm)$`)
	isoWord   = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:t(.+))?$`)
	slashWord = regexp.MustCompile(`^(\d{1,2})[-/](\d{1,2})(?:[-/](\d{4}|\d{2}))?$`)
	plainDate = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})$`)
	dayWord   = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?$`)
	yearWord  = regexp.MustCompile(`^\d{4}$`)
	zoneWord  = regexp.MustCompile(`^(?:z|utc|gmt|[+-]\d{2}:?\d{2})$`)
)

// maxDate bounds the length of a date in bytes.
const maxDate = 100

// parseDate parses a date in the forms that people use in Salt's schedules: 5:00pm, Monday
// 5:00pm, 11/20/2013 5:00pm, Nov 20 2013 17:00, 2013-11-20T17:00:00. now determines the century
// of a two-digit year.
func parseDate(text string, now time.Time) (*date, error) {
	if len(text) > maxDate {
		return nil, fmt.Errorf("invalid date string of %d bytes", len(text))
	}
	d := &dateText{date: &date{}, now: now}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' }) {
		if !d.take(word) {
			return nil, fmt.Errorf("invalid date string %q: %q is not understood", text, word)
		}
	}
	if !d.timed && !d.dated && !d.named {
		return nil, fmt.Errorf("invalid date string %q", text)
	}
	if fault := d.check(); fault != "" {
		return nil, fmt.Errorf("invalid date string %q: %s", text, fault)
	}
	return d.date, nil
}

// dateText is a partly parsed date.
type dateText struct {
	*date
	now          time.Time
	timed, dated bool
}

// take parses one word; it returns false if the word has no meaning in its place.
func (d *dateText) take(w string) bool {
	if m := clockWord.FindStringSubmatch(w); m != nil && !d.timed {
		return d.clock(m)
	}
	if m := hourWord.FindStringSubmatch(w); m != nil && !d.timed {
		d.timed = true
		d.hour = num(m[1])
		return d.half(m[2])
	}
	if m := isoWord.FindStringSubmatch(w); m != nil && !d.dated {
		d.dated, d.year, d.month, d.day = true, num(m[1]), num(m[2]), num(m[3])
		return m[4] == "" || clockWord.MatchString(m[4]) && d.take(m[4])
	}
	if m := plainDate.FindStringSubmatch(w); m != nil && !d.dated {
		d.dated, d.year, d.month, d.day = true, num(m[1]), num(m[2]), num(m[3])
		return true
	}
	if m := slashWord.FindStringSubmatch(w); m != nil && !d.dated {
		return d.slashes(m)
	}
	if n, ok := named(monthNames, w); ok && d.month == 0 {
		d.dated, d.month = true, n+1
		return true
	}
	if n, ok := named(dayNames, w); ok && !d.named {
		d.named, d.weekday = true, time.Weekday(n)
		return true
	}
	switch {
	case w == "am" || w == "pm":
		return d.timed && d.half(w)
	case fillers[w]:
		return true
	case zoneWord.MatchString(w):
		d.zone = zone(w)
		return d.timed
	case dayWord.MatchString(w) && d.day == 0:
		d.dated, d.day = true, num(dayWord.FindStringSubmatch(w)[1])
		return true
	case yearWord.MatchString(w) && d.year == 0:
		d.year = num(w)
		return true
	}
	return false
}

func (d *dateText) clock(m []string) bool {
	d.timed, d.hour, d.min, d.sec = true, num(m[1]), num(m[2]), num(m[3])
	d.nsec = num((m[4] + "000000000")[:9])
	if m[6] != "" {
		d.zone = zone(m[6])
	}
	return m[5] == "" || d.half(m[5])
}

// half parses am or pm.
func (d *dateText) half(w string) bool {
	if d.hour < 1 || d.hour > 12 {
		return false
	}
	d.hour %= 12
	if w[0] == 'p' {
		d.hour += 12
	}
	return true
}

// slashes parses month/day/year, or day/month/year if the month does not exist.
func (d *dateText) slashes(m []string) bool {
	d.dated, d.month, d.day = true, num(m[1]), num(m[2])
	if d.month > 12 {
		d.month, d.day = d.day, d.month
	}
	if d.year = num(m[3]); len(m[3]) == 2 {
		d.year += d.now.Year() / 100 * 100
		switch {
		case d.year >= d.now.Year()+50:
			d.year -= 100
		case d.year < d.now.Year()-50:
			d.year += 100
		}
	}
	return true
}

// check describes an impossible date; "" if it is possible.
func (d *dateText) check() string {
	switch {
	case d.hour > 23 || d.min > 59 || d.sec > 59:
		return "there is no such time"
	case d.month > 12 || d.dated && d.month == 0:
		return "there is no such month"
	case d.dated && d.year != 0 && d.day == 0:
		return "it names no day"
	case d.day > 0:
		year := d.year
		if year == 0 {
			year = 2000 // a leap year
		}
		if d.day > time.Date(year, time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
			return "there is no such day"
		}
	}
	return ""
}

func num(s string) int {
	n, _ := strconv.Atoi(s) // digits, or "" for 0
	return n
}

// named looks up a name, or an abbreviation with at least three letters.
func named(names []string, w string) (int, bool) {
	w = strings.TrimSuffix(w, ".")
	for i, n := range names {
		if len(w) >= 3 && strings.HasPrefix(n, w) {
			return i, true
		}
	}
	return 0, false
}

// zone parses Z, UTC, or an offset from UTC.
func zone(w string) *time.Location {
	if w[0] != '+' && w[0] != '-' {
		return time.UTC
	}
	digits := strings.ReplaceAll(w[1:], ":", "")
	off := num(digits[:2])*3600 + num(digits[2:])*60
	if w[0] == '-' {
		off = -off
	}
	return time.FixedZone(w, off)
}
