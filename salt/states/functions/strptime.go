package functions

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// strptime parses times in names as Python's datetime.strptime does.
type strptime struct {
	re     *regexp.Regexp
	fields []byte
}

// strptimeParts are the directives, as regular expressions from Python.
var strptimeParts = map[byte]string{
	'Y': `\d\d\d\d`, 'y': `\d\d`, 'm': `1[0-2]|0[1-9]|[1-9]`, 'd': `3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9]`,
	'j': `36[0-6]|3[0-5]\d|[1-2]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9]`,
	'H': `2[0-3]|[0-1]\d|\d`, 'I': `1[0-2]|0[1-9]|[1-9]`, 'M': `[0-5]\d|\d`, 'S': `6[0-1]|[0-5]\d|\d`, 'f': `[0-9]{1,6}`,
	'p': `am|pm`, 'B': monthWords(time.Month.String), 'b': monthWords(func(m time.Month) string { return m.String()[:3] }),
	'A': dayWords(time.Weekday.String), 'a': dayWords(func(d time.Weekday) string { return d.String()[:3] }),
}

func monthWords(name func(time.Month) string) string {
	var out []string
	for m := time.January; m <= time.December; m++ {
		out = append(out, name(m))
	}
	return strings.Join(out, "|")
}

func dayWords(name func(time.Weekday) string) string {
	var out []string
	for d := time.Sunday; d <= time.Saturday; d++ {
		out = append(out, name(d))
	}
	return strings.Join(out, "|")
}

func newStrptime(format string) (*strptime, error) {
	s := &strptime{}
	var b strings.Builder
	b.WriteString(`(?i)\A`)
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			for i+1 < len(format) && (format[i+1] == ' ' || format[i+1] >= '\t' && format[i+1] <= '\r') {
				i++
			}
			b.WriteString(`\s+`)
		case c != '%':
			_, n := utf8.DecodeRuneInString(format[i:])
			b.WriteString(regexp.QuoteMeta(format[i : i+n]))
			i += n - 1
		case i+1 == len(format):
			return nil, fmt.Errorf("stray %% in format '%s'", format)
		default:
			i++
			d := format[i]
			if d == '%' {
				b.WriteString("%")
				continue
			}
			part, ok := strptimeParts[d]
			if !ok {
				return nil, fmt.Errorf("'%c' is a bad directive in format '%s'", d, format)
			}
			s.fields = append(s.fields, d)
			b.WriteString("(" + part + ")")
		}
	}
	var err error
	s.re, err = regexp.Compile(b.String())
	return s, err
}

// parse parses a time; ok is false if the text does not match the whole format, or is not a
// valid date.
func (s *strptime) parse(text string) (time.Time, bool) {
	m := s.re.FindStringSubmatch(text)
	if m == nil || len(m[0]) != len(text) {
		return time.Time{}, false
	}
	at := map[byte]int{'Y': 1900, 'm': 1, 'd': 1}
	pm, hour12, dayOfYear := false, -1, 0
	for i, f := range s.fields {
		word := m[i+1]
		n, _ := strconv.Atoi(strings.TrimSpace(word))
		switch f {
		case 'y':
			if n += 2000; n > 2068 {
				n -= 100
			}
			at['Y'] = n
		case 'B', 'b':
			for month := time.January; month <= time.December; month++ {
				if strings.EqualFold(month.String()[:3], word[:3]) {
					at['m'] = int(month)
				}
			}
		case 'p':
			pm = strings.EqualFold(word, "pm")
		case 'I':
			hour12 = n
		case 'j':
			dayOfYear = n
		case 'f':
			at['f'], _ = strconv.Atoi((word + "000000")[:6])
		default:
			at[f] = n
		}
	}
	if hour12 >= 0 {
		at['H'] = hour12 % 12
		if pm {
			at['H'] += 12
		}
	}
	if at['S'] > 59 {
		return time.Time{}, false
	}
	if dayOfYear > 0 {
		at['m'], at['d'] = 1, dayOfYear
	}
	t := time.Date(at['Y'], time.Month(at['m']), at['d'], at['H'], at['M'], at['S'], at['f']*1000, time.UTC)
	if at['Y'] < 1 || dayOfYear == 0 && t.Day() != at['d'] {
		return time.Time{}, false
	}
	return t, true
}
