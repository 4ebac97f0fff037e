package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// reported are the reports of Salt's users that docs/design/pains.md has to name.
var reported = strings.Fields(`
	#69951 #38174 #19864 #39914 #12349 #36032 #21749 #34413 #21615 #24669 #57082 #8908 #9141 #8701 #42978 #42668 #53403
	#53122 #47199 #48000 #48084 #48246 #48187 #57750 #37261 #58788 #41197 #41202 #35547 #43284 #36667 #68319 #68321 #20101 #30007 #23233
	#68915 #34973 #48029 #46573 #68275 #66237 #68035 #67936 #62577 #62933 #62781 #63544 #61868 #38827 #40788 #43447 #53721
	#58193 #35588 #14690 #47963 #28785 #20197 #16771 #24914 #25700 #28978 #19080 #28875 #30181 #35041 #36135 #37191 #42559
	#50791 #50814 #52658 #29281 #38507 #22814
	#66386 #66142 #50539 #33271 #60453 #58785 #55860 #61845 #68315 #36285 #35503 #48498 #63324 #8167 #44069 #40150 #66278
	#65018 #67931 #68660 #14088 #22376 #45173 #28805 #51764 #60428 #22386
	#65658 #66457 #45334 #68481 #60361 #59713 #58407 #62632 #66244 #21565 #60545 #43845`)

var (
	namedTest     = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	namedScenario = regexp.MustCompile("`([a-z0-9/]+/testdata/[A-Za-z0-9_/]+)`")
	attackTest    = regexp.MustCompile("`Test[A-Za-z0-9_]+`")
	ofIssue       = regexp.MustCompile(`\[(#\d+)\]\(https://github\.com/saltstack/salt/issues/(\d+)\)`)
	docLink       = regexp.MustCompile(`\]\(([a-z0-9_./-]+\.md)\)`)
)

// TestGuarantees keeps docs/design/guarantees.md, pains.md and security.md true: each test or scenario
// that they name exists, each row of a table with a column "tests" or "test" names one or says
// that the thing cannot happen, and no known report is missing.
func TestGuarantees(t *testing.T) {
	var b []byte
	for _, page := range []string{"guarantees.md", "pains.md", "security.md"} {
		p, err := os.ReadFile(filepath.Join("..", "docs", "design", page))
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
			t.Errorf("test %s not found in %s", name, dir)
		}
	}
	for _, m := range namedScenario.FindAllStringSubmatch(string(b), -1) {
		if info, err := os.Stat(filepath.Join("..", m[1])); err != nil || info.IsDir() {
			t.Errorf("scenario %s not found", m[1])
		}
	}
	for _, m := range docLink.FindAllStringSubmatch(string(b), -1) {
		if _, err := os.Stat(filepath.Join("../docs/design", m[1])); err != nil {
			t.Errorf("broken link: %v", err)
		}
	}
	there := map[string]bool{}
	rows, checked := 0, false
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "|") {
			checked = false
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		last := strings.TrimSpace(cells[len(cells)-1])
		if last == "tests" || last == "test" {
			checked = true
			continue
		}
		if !checked || strings.HasPrefix(line, "|--") {
			continue
		}
		rows++
		if !namedTest.MatchString(last) && !namedScenario.MatchString(last) && !attackTest.MatchString(last) && !strings.Contains(last, "cannot happen") {
			t.Errorf("no test is named for %s", cells[0])
		}
		for _, m := range ofIssue.FindAllStringSubmatch(line, -1) {
			if m[1] != "#"+m[2] {
				t.Errorf("%s links to issue %s", m[1], m[2])
			}
			there[m[1]] = true
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows were checked", rows)
	}
	for _, id := range reported {
		if !there[id] {
			t.Errorf("report %s is missing", id)
		}
	}
}

// testSources returns the text of all tests in a folder of the repository.
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
