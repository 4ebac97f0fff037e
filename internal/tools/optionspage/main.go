// Command optionspage writes docs/reference/options.md: every option with its default, unit
// and meaning, from the structs of package config.
//
//	go run ./internal/tools/optionspage > docs/reference/options.md
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
)

func main() {
	if err := write(os.Stdout, "internal/config"); err != nil {
		fmt.Fprintln(os.Stderr, "optionspage:", err)
		os.Exit(1)
	}
}

const head = `# Options

Every option of the files ` + "`master` and `minion`" + `, with Salt's names, defaults and units. This page is written by
` + "`go run ./internal/tools/optionspage > docs/reference/options.md`" + ` from the comments in internal/config.

A duration is a number in the unit named. Paths are placed under ` + "`root_dir`" + `. An option that is known but not served is
told at start, with its file and line; so is one that is unknown, with the nearest name. Options marked † are not Salt's.
`

// write makes the page from the source in dir.
func write(w io.Writer, dir string) error {
	groups, err := read(dir)
	if err != nil {
		return err
	}
	out := &strings.Builder{}
	out.WriteString(head)
	for _, s := range sections {
		fmt.Fprintf(out, "\n## %s\n\n%s\n", s.title, s.text)
		fmt.Fprintf(out, "\n| Option | Default | Unit | The option | Read by |\n| --- | --- | --- | --- | --- |\n")
		for _, name := range s.groups {
			options, ok := groups[name]
			if !ok {
				return fmt.Errorf("there is no struct %s in %s", name, dir)
			}
			delete(groups, name)
			for _, o := range options {
				mark := ""
				if o.ours {
					mark = " †"
				}
				fmt.Fprintf(out, "| `%s%s`%s | %s | %s | %s | %s |\n", s.prefix, o.name, mark, code(o.def), o.unit, cell(o.meaning), readers(o.name, s.who))
			}
		}
	}
	if len(groups) > 0 {
		return fmt.Errorf("no section holds %s", strings.Join(slices.Sorted(maps.Keys(groups)), ", "))
	}
	masterless(out)
	notYet(out)
	notNeeded(out)
	refused(out)
	_, err = io.WriteString(w, out.String())
	return err
}

// sections order the structs of package config.
var sections = []struct {
	title, text string
	groups      []string
	who         config.Role
	prefix      string
}{
	{"Master and minion", "They may stand in either file.", []string{"Common"}, config.Both, ""},
	{"Master and minion: how results are shown", "What the commands show by the file `master`, and `salt-call` by the file `minion`.", []string{"Show"}, config.Both, ""},
	{"Master: files and folders", "Where a master keeps what it keeps.", []string{"MasterFiles"}, config.Masters, ""},
	{"Master: file server", "What minions get under `salt://`, see files.md.", []string{"MasterFileserver"}, config.Masters, ""},
	{"Master: git", "Repositories of the backend `gitfs` and of `git` in `ext_pillar`, see git.md.", []string{"MasterGit"}, config.Masters, ""},
	{"Master: pillar", "What pillar minions get, see pillar.md.", []string{"MasterPillar"}, config.Masters, ""},
	{"Master: rendering and states", "How a master renders, and what it tells its minions of that.", []string{"MasterRender", "MasterStates"}, config.Masters, ""},
	{"Master: network", "Ports and limits.", []string{"MasterNetwork"}, config.Masters, ""},
	{"Master: keys", "What a master does with keys and secrets.", []string{"MasterKeys"}, config.Masters, ""},
	{"Master: jobs", "How jobs are followed, kept and shown.", []string{"MasterJobs"}, config.Masters, ""},
	{"Master: events", "What a master tells and keeps about events.", []string{"MasterEvents"}, config.Masters, ""},
	{"Master: what starts by itself", "By events (react.md) and by the clock (schedule.md).", []string{"MasterReact"}, config.Masters, ""},
	{"Master: access", "Who may do what.", []string{"MasterAccess"}, config.Masters, ""},
	{"Master: REST API", "What `mom api` serves, see api.md.", []string{"MasterAPI"}, config.Masters, ""},
	{"Master: place in the tree", "Above other masters (`order_masters`) and below one (`syndic_*`, read by `mom syndic`).", []string{"MasterSyndic"}, config.Masters, ""},
	{"Master: gossip among nodes", "Nodes that hear of each other beside the tree, see topology.md.", []string{"MasterTopology"}, config.Masters, ""},
	{"Minion: files and folders", "Where a minion keeps what it keeps.", []string{"MinionFiles"}, config.Minions, ""},
	{"Minion: network", "How a minion, and `mom syndic` towards the masters above, finds and keeps its master.", []string{"MinionNetwork"}, config.Minions, ""},
	{"Minion: sign-in", "How it proves itself and checks its master.", []string{"MinionSignIn"}, config.Minions, ""},
	{"Minion: states", "How a minion runs states. Where it has a master, the master's options of the same name count.", []string{"MinionStates"}, config.Minions, ""},
	{"Minion: jobs", "How a minion runs jobs and returns, and what modules ask for.", []string{"MinionJobs", "MinionModules"}, config.Minions, ""},
	{"MySQL and MariaDB", "For `master_job_cache`, `ext_job_cache`, `event_return` and the returner of that name. They may also stand as `mysql: {host: …}`.", []string{"MySQLOptions"}, config.Both, "mysql."},
}

// readers says who obeys an option that those of who can set.
func readers(name string, who config.Role) string {
	if who &^= config.NotYet[name]; who == 0 {
		return "*nobody yet*"
	}
	return who.String()
}

// masterless lists the options of a master that a minion without one reads.
func masterless(out *strings.Builder) {
	out.WriteString("\n## Minion without a master\n\nA minion with `file_client: local` or `master_type: disable`, and `salt-call --local`, compile the pillar on\n" +
		"their own host. For that they read these options of a master from the file `minion`: ")
	for i, name := range config.MasterlessOptions {
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprintf(out, "`%s`", name)
	}
	out.WriteString(".\n")
}

func notYet(out *strings.Builder) {
	out.WriteString("\n## Not served yet\n\nOptions of Salt that are known and have no effect. Setting one is told at start.\n\n| Option | Of |\n| --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(config.NotYet)) {
		fmt.Fprintf(out, "| `%s` | %s |\n", name, config.NotYet[name])
	}
}

func notNeeded(out *strings.Builder) {
	out.WriteString("\n## Without meaning here\n\n| Option | Why |\n| --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(config.NotNeeded)) {
		fmt.Fprintf(out, "| `%s` | %s |\n", name, cell(config.NotNeeded[name]))
	}
}

func refused(out *strings.Builder) {
	out.WriteString("\n## Values that are refused\n\nA daemon starts with every other value that Salt's defaults, sample files and documentation show " +
		"(1,675 values of 785 options of 3006.27 and 3008.2 are tried by `go test ./internal/config -run TestOptionsOfSalt`).\n\n" +
		"| Option | Value, for example | Why |\n| --- | --- | --- |\n")
	for _, r := range config.Refusals {
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", r.Option, code(r.Value), cell(r.Why))
	}
}

// cell keeps a text within its cell.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;").Replace(s) }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}
