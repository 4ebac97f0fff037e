package command

import (
	"errors"
	"testing"
)

// The error of a wrong value shows what a right one looks like, if the value alone does not.
func TestPlainFlag(t *testing.T) {
	const flag = `invalid argument "5" for "-t, --timeout" flag`
	for text, want := range map[string]string{
		flag + `: time: missing unit in duration "5"`:            flag + "; give a number with a unit, such as 30s or 5m",
		flag + `: time: invalid duration "5"`:                    flag + "; give a number with a unit, such as 30s or 5m",
		flag + `: strconv.ParseInt: parsing "5": invalid syntax`: flag,
		"unknown flag: --nosuch":                                 "no such option: --nosuch",
		"unknown shorthand flag: 'x' in -xy":                     "no such option: -x",
	} {
		if got := plainFlag(errors.New(text)); got != want {
			t.Errorf("%s: %q; want %q", text, got, want)
		}
	}
}
