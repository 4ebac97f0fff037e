package runners

import (
	"strings"
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	day := time.Date(2015, 3, 6, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return day.Add(d) }
	for text, want := range map[string]time.Time{
		"2015-03-06":                    day,
		"2015/03/06":                    day,
		"20150306":                      day,
		"06.03.2015":                    day,
		"03/06/2015":                    day,
		"2015, Mar 06":                  day,
		"2015, Mar 6":                   day,
		"2015, March 6":                 day,
		"Mar 6 2015":                    day,
		"Mar 6, 2015":                   day,
		"March 6, 2015":                 day,
		"6 Mar 2015":                    day,
		"Fri, 6 Mar 2015":               day,
		"2015-03-06 19:00":              at(19 * time.Hour),
		"2015-03-06T19:00":              at(19 * time.Hour),
		"2015-03-06T19:00:05Z":          at(19*time.Hour + 5*time.Second),
		"2015-03-06T19:00:05.25+02:00":  at(17*time.Hour + 5*time.Second + 250*time.Millisecond),
		"2015-03-06 19:00:05 +0200":     at(17*time.Hour + 5*time.Second),
		"2015, Mar 06 19:00:05.000007":  at(19*time.Hour + 5*time.Second + 7*time.Microsecond),
		"  2015,  Mar 6   19:00 ":       at(19 * time.Hour),
		"Mar 6, 2015 7:00 PM":           at(19 * time.Hour),
		"2015-03-06 7:30am":             at(7*time.Hour + 30*time.Minute),
		"Fri, 06 Mar 2015 19:00:00 GMT": at(19 * time.Hour),
		"20150306190005000007":          at(19*time.Hour + 5*time.Second + 7*time.Microsecond),
		"20150306190005000007_4711":     at(19*time.Hour + 5*time.Second + 7*time.Microsecond),
	} {
		got, err := parseTime(text)
		if err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "nonsense", "2015-13-01", "2015-02-30", "19:00", "2015", "2015-03-06 25:00", "20151306190005000007", "2015-03-06 19:00 x", "2015-03-06" + strings.Repeat(" ", 64)} {
		if got, err := parseTime(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2015, Mar 16 19:00", "2015-03-16T19:00:05.5+01:00", "20150306190005000007", "Mar 6, 2015 7:00 PM", "\x00", "Tue 5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTime(text)
		if err != nil {
			return
		}
		// A parsed time can be written in full and parsed to the same time.
		again, err := parseTime(got.UTC().Format("2006-01-02 15:04:05.999999999"))
		if y := got.UTC().Year(); y < 0 || y > 9999 {
			return
		}
		if err != nil || !again.Equal(got) {
			t.Errorf("%q is %v, then %v, %v", text, got, again, err)
		}
	})
}
