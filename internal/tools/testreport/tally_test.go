package main

import (
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	tests := []struct {
		name   string
		input  string
		good   bool
		last   string
		holds  []string
		absent []string
	}{
		{
			name: "all pass: the output of tests stays away",
			input: `{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA/sub"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Elapsed":0.5}
{"Action":"skip","Package":"empty"}`,
			good: true, last: "2 passed, 0 failed, 0 skipped",
			holds: []string{"ok       p 0.5s", "no tests empty"}, absent: []string{"chatter"},
		},
		{
			name: "a failed test shows its output",
			input: `{"Action":"output","Package":"p","Test":"TestA","Output":"want 1, got 2\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}`,
			last: "0 passed, 1 failed, 0 skipped", holds: []string{"want 1, got 2", "FAIL     p"},
			absent: []string{"outside a test"},
		},
		{
			name: "a skipped test spoils the run",
			input: `{"Action":"output","Package":"p","Test":"TestB","Output":"no server here\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p"}`,
			last: "1 passed, 0 failed, 1 skipped", holds: []string{"no server here", "skipped: p TestB"},
		},
		{
			name: "a package that does not build",
			input: `{"ImportPath":"p [p.test]","Action":"build-output","Output":"p.go:3: undefined: x\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"pass","Package":"q","Test":"TestA"}
{"Action":"pass","Package":"q"}
{"Action":"fail","Package":"p"}`,
			last: "1 passed, 1 failed, 0 skipped", holds: []string{"undefined: x", "failed outside a test: p"},
		},
		{
			name: "a panic leaves its trace in a test that never ends",
			input: `{"Action":"output","Package":"p","Test":"TestA","Output":"panic: boom\n"}
{"Action":"output","Package":"p","Output":"exit status 2\n"}
{"Action":"fail","Package":"p"}`,
			last: "0 passed, 1 failed, 0 skipped", holds: []string{"panic: boom\nexit status 2"},
		},
		{
			name:  "a line that is no event is passed on, and nothing ran",
			input: "go: cannot find main module\n",
			last:  "0 passed, 0 failed, 0 skipped", holds: []string{"cannot find main module", "no test ran"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			run := newTally(&out)
			if err := run.read(strings.NewReader(tt.input)); err != nil {
				t.Fatal(err)
			}
			if good := run.close(); good != tt.good {
				t.Errorf("good = %v, want %v", good, tt.good)
			}
			got := out.String()
			lines := strings.Split(strings.TrimSpace(got), "\n")
			if last := lines[len(lines)-1]; last != tt.last {
				t.Errorf("closing line %q, want %q", last, tt.last)
			}
			for _, s := range tt.holds {
				if !strings.Contains(got, s) {
					t.Errorf("output lacks %q:\n%s", s, got)
				}
			}
			for _, s := range tt.absent {
				if strings.Contains(got, s) {
					t.Errorf("output holds %q:\n%s", s, got)
				}
			}
		})
	}
}
