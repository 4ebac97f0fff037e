package versions

import (
	"strings"
	"testing"
)

func TestText_AsSalt(t *testing.T) {
	got := Text([]Section{
		{"Salt Version", []Line{{"Salt", "3007.0"}}},
		{"Dependency Versions", []Line{{"python-gnupg", "Not Installed"}, {"PyYAML", "6.0"}}},
	})
	want := "Salt Version:\n          Salt: 3007.0\n \nDependency Versions:\n  python-gnupg: Not Installed\n        PyYAML: 6.0\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestProgram(t *testing.T) {
	text := Text(Program("v1.2.3"))
	for _, part := range []string{
		"Salt Version:\n", " Salt: " + Salt + "\n", " mom: v1.2.3\n", "Protocol Versions:\n", " requests: 2, 3\n",
		"Dependency Versions:\n", " Go: ", "System Versions:\n", " system: ",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the report lacks %q:\n%s", part, text)
		}
	}
}
