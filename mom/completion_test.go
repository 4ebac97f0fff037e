package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// completed gives what bash, without the package bash-completion, offers at the end of a line.
func completed(t *testing.T, program, line string) []string {
	t.Helper()
	bin := t.TempDir()
	name, _, _ := strings.Cut(line, " ")
	if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
		t.Fatal(err)
	}
	// COMP_WORDS is split as bash does, at blanks and at the characters = and :.
	script := `set -u
source <(` + name + ` completion bash)
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=() COMP_WORDBREAKS=$' \t\n=:' COMP_TYPE=9 COMP_KEY=9
rest=$1
while [[ -n $rest ]]; do
	case $rest in
	' '*) rest=${rest# } ;;
	[=:]*) COMP_WORDS+=("${rest:0:1}"); rest=${rest:1} ;;
	*) w=${rest%%[ =:]*}; COMP_WORDS+=("$w"); rest=${rest#"$w"} ;;
	esac
done
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; } # bash has it while it completes alone
__start_` + name + `
printf '%s\n' "${COMPREPLY[@]-}"`
	cmd := exec.Command("bash", "--norc", "--noprofile", "-c", script, "bash", line)
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + bin}
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil || errOut.Len() > 0 {
		t.Fatalf("%s: %v: %s", line, err, errOut.String())
	}
	var found []string
	for word := range strings.Lines(string(out)) {
		if word = strings.TrimSpace(word); word != "" {
			found = append(found, word)
		}
	}
	return found
}

// A shell without the package bash-completion completes without an error: options, their
// values, functions, and the names of node groups.
func TestCompletion_BareBash(t *testing.T) {
	exe, err := momtest.Build(t.TempDir(), "mom")
	if err != nil {
		t.Fatal(err)
	}
	conf := t.TempDir()
	if err := os.WriteFile(filepath.Join(conf, "master"), []byte("root_dir: "+conf+"\nnodegroups: {webs: 'web*', dbs: 'db*'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string][]string{
		"mom doct":                     {"doctor"},
		"salt --out=jso":               {"json"},
		"salt --out-fil":               {"--out-file", "--out-file-append"},
		"salt x test.pi":               {"test.ping"},
		"salt x state.sh":              {"state.show_"},
		"salt-run manage.sta":          {"manage.status"},
		"salt -c " + conf + " -N w":    {"webs"},
		"salt -c " + conf + " -N ":     {"dbs", "webs"},
		"salt -G os:Debian test.vers":  {"test.version"},
		"salt-call --local test.pi":    {"test.ping"},
		"salt-call --log-level=warnin": {"warning"},
	} {
		got := completed(t, exe, line)
		for _, w := range want {
			if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, w) }) {
				t.Errorf("%s: %v lacks %s", line, got, w)
			}
		}
	}
	if got := completed(t, exe, "salt x test.p"); slices.Contains(got, "cmd.run") || len(got) == 0 {
		t.Errorf("functions of other names are offered: %v", got)
	}
}
