package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guaranteed are the pains that docs/pains.md has to speak of: those measured
// on Salt, and the reports of users.
var guaranteed = strings.Fields(`
	1 2 3 4 5 5a 6 7 8 9 10 11 12 13 14 15 16 17 17a 17b
	#69951 #38174 #19864 #39914 #12349 #36032 #21749 #34413 #21615 #24669 #57082 #8908 #9141 #8701 #42978 #42668 #53403
	#53122 #47199 #48000 #48084 #48246 #48187 #57750 #37261 #58788 #41197 #41202 #35547 #43284 #36667 #68319 #68321 #20101 #30007 #23233
	#68915 #34973 #48029 #46573 #68275 #66237 #68035 #67936 #62577 #62933 #62781 #63544 #61868 #38827 #40788 #43447 #53721
	#58193 #35588 #14690 #47963 #28785 #20197 #16771 #24914 #25700 #28978 #19080 #28875 #30181 #35041 #36135 #37191 #42559
	#50791 #50814 #52658 #29281 #38507 #22814
	#66386 #66142 #50539 #33271 #60453 #58785 #55860 #61845 #68315 #36285 #35503 #48498 #63324 #8167 #44069 #40150 #66278
	#65018 #67931 #68660 #14088 #22376 #45173 #28805 #51764 #60428 #22386`)

var (
	namedTest     = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	namedScenario = regexp.MustCompile("`([a-z0-9/]+/testdata/[A-Za-z0-9_/]+)`")
	ofIssue       = regexp.MustCompile(`^\[(#\d+)\]`)
	docLink       = regexp.MustCompile(`\]\(([a-z0-9_./-]+\.md)\)`)
)

// TestGuarantees keeps docs/guarantees.md, pains.md, trial.md and security.md true: whatever test or scenario
// they name has to be there, each row of their tables has to name one or say that the thing
// cannot happen, and no known pain may be left out.
func TestGuarantees(t *testing.T) {
	var b []byte
	for _, page := range []string{"guarantees.md", "pains.md", "trial.md", "security.md"} {
		p, err := os.ReadFile(filepath.Join("..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		b = append(append(b, p...), '\n')
	}
	sources := map[string]string{}
	for _, m := range namedTest.FindAllStringSubmatch(string(b), -1) {
		dir, name := m[1], m[2]
		if _, ok := sources[dir]; !ok {
			sources[dir] = testSources(t, dir)
		}
		if !strings.Contains(sources[dir], "\nfunc "+name+"(") {
			t.Errorf("there is no test %s in %s", name, dir)
		}
	}
	for _, m := range namedScenario.FindAllStringSubmatch(string(b), -1) {
		if info, err := os.Stat(filepath.Join("..", m[1])); err != nil || info.IsDir() {
			t.Errorf("there is no scenario %s", m[1])
		}
	}
	for _, m := range docLink.FindAllStringSubmatch(string(b), -1) {
		if _, err := os.Stat(filepath.Join("../docs", m[1])); err != nil {
			t.Errorf("a link leads nowhere: %v", err)
		}
	}
	there := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 4 || strings.Contains(line, "| test |") || strings.Contains(line, "| shown by |") {
			continue
		}
		who, shown := strings.TrimSpace(cells[0]), cells[3]
		if !namedTest.MatchString(shown) && !namedScenario.MatchString(shown) && !strings.Contains(shown, "cannot happen") {
			t.Errorf("no test is named for %s", who)
		}
		if m := ofIssue.FindStringSubmatch(who); m != nil {
			who = m[1]
		}
		there[strings.TrimPrefix(who, "pain ")] = true
	}
	for _, id := range guaranteed {
		if !there[id] {
			t.Errorf("nothing is said of %s", id)
		}
	}
}

// testSources gives the text of all tests in a folder of the repository.
func testSources(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString("\n")
		all.Write(b)
	}
	return all.String()
}
