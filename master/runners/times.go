package runners

import (
	"regexp"
	"strings"
	"time"

	"github.com/momtree/mom/internal/jid"
)

// dates and clocks are the accepted time formats: each date alone or followed by a clock, as people
// and job records write them.
var (
	dates = []string{
		"2006-01-02", "2006/01/02", "20060102", "2006, Jan 02", "2006 Jan 02", "Jan 02 2006", "02 Jan 2006",
		"2006, January 02", "2006 January 02", "January 02 2006", "02 January 2006", "Mon Jan 02 2006", "Mon, 02 Jan 2006",
		"02.01.2006", "01/02/2006",
	}
	clocks = []string{"", " 15:04:05", " 15:04", " 15:04:05 MST", " 15:04:05Z07:00", " 15:04Z07:00", " 15:04:05 -0700", " 15:04:05-0700", " 3:04PM", " 3:04:05PM"}
)

var (
	betweenDateAndClock = regexp.MustCompile(`(\d)T(\d)`)
	singleDay           = regexp.MustCompile(`(^|[ ,])(\d)([ ,]|$)`)
	dayAndYear          = regexp.MustCompile(`([A-Za-z]+ \d{1,2}),( ?\d{4})`)
	blanks              = regexp.MustCompile(`\s+`)
	beforeHalf          = regexp.MustCompile(`(?i)(\d) ?(am|pm)$`)
)

// maxTime limits the length of a time, in bytes.
const maxTime = 64

// parseTime parses a point in time: a job id, or a date such as "2015-03-16", "Mar 16 2015" or
// "2015, Mar 16", optionally with a clock ("19:00", "7:00 PM", "19:00:05.5", with a zone such as
// +02:00 or Z). The default zone is UTC, as for job ids.
func parseTime(text string) (time.Time, error) {
	if t, err := jid.Time(text); err == nil {
		return t, nil
	}
	s := text
	if len(s) > maxTime {
		return time.Time{}, invalid("a text of %d bytes is not a time", len(s))
	}
	s = blanks.ReplaceAllString(strings.TrimSpace(s), " ")
	s = betweenDateAndClock.ReplaceAllString(s, "$1 $2")
	s = dayAndYear.ReplaceAllString(s, "$1$2")
	s = singleDay.ReplaceAllString(s, "${1}0$2$3")
	s = beforeHalf.ReplaceAllStringFunc(s, func(m string) string {
		return strings.ToUpper(strings.ReplaceAll(m, " ", ""))
	})
	for _, d := range dates {
		for _, c := range clocks {
			if t, err := time.Parse(d+c, s); err == nil {
				return t, nil
			}
		}
	}
	return time.Time{}, invalid("%q is not a time; write it as 2015-03-16 19:00, 2015, Mar 16 19:00 or as a job id", text)
}
