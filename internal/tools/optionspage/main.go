// Command optionspage writes docs/reference/options.md: every option with its type,
// default and meaning, from the structs of package config and the login services of
// package master/auth.
//
//	go run ./internal/tools/optionspage > docs/reference/options.md
package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/internal/config"
)

func main() {
	if err := write(os.Stdout, "internal/config", "master/auth"); err != nil {
		fmt.Fprintln(os.Stderr, "optionspage:", err)
		os.Exit(1)
	}
}

// pagePath is the file that this command writes.
const pagePath = "docs/reference/options.md"

const head = `# Options

Every option of the files ` + "`master` and `minion`" + `. Names, defaults and units are Salt's; † marks options that Salt does not have.
` + "`go run ./internal/tools/optionspage > " + pagePath + "`" + ` writes this page from the comments in internal/config and master/auth.

- An empty default means not set. Paths are below ` + "`root_dir`" + `. A list may be a single string. Durations may have a fraction.
- A value of the wrong type or out of range prevents the start; the error names file and line.
- An unknown option, or one [without effect](#without-effect), is logged at the start with file and line.
`

// write writes the page from the options in config and the login services in auth.
func write(w io.Writer, configDir, authDir string) error {
	groups, err := read(configDir)
	if err != nil {
		return err
	}
	if groups[logins], err = readLogins(authDir); err != nil {
		return err
	}
	out := &strings.Builder{}
	out.WriteString(head)
	for _, s := range sections {
		fmt.Fprintf(out, "\n## %s\n\n%s\n", s.title, linked(s.text))
		out.WriteString("\n| Option | Type | Default | Meaning |\n| --- | --- | --- | --- |\n")
		for _, name := range s.groups {
			options, ok := groups[name]
			if !ok {
				return fmt.Errorf("no struct %s in %s", name, configDir)
			}
			delete(groups, name)
			for _, o := range options {
				mark := ""
				if o.ours {
					mark = " †"
				}
				fmt.Fprintf(out, "| `%s%s`%s | %s | %s | %s |\n", s.prefix, o.name, mark, o.kind, o.defaults(), o.text()+unread(s.prefix+o.name, s.who))
			}
		}
	}
	if len(groups) > 0 {
		return fmt.Errorf("no section holds %s", strings.Join(slices.Sorted(maps.Keys(groups)), ", "))
	}
	masterless(out)
	if err := notYet(out, configDir); err != nil {
		return err
	}
	notNeeded(out)
	refused(out)
	_, err = io.WriteString(w, out.String())
	return err
}

// logins is the group of the options of login services.
const logins = "login services"

// sections are the structs of package config in the order of the page.
var sections = []struct {
	title, text string
	groups      []string
	who         config.Role
	prefix      string
}{
	{"Master and minion", "Read from both files.", []string{"Common"}, config.Both, ""},
	{"Master and minion: how results are shown", "Read by the commands: from the file `master`, by `salt-call` from the file `minion`.", []string{"Show"}, config.Both, ""},
	{"Master: files and folders", "Paths, caches and their limits.", []string{"MasterFiles"}, config.Masters, ""},
	{"Master: file server", "Sources of `salt://`, see docs/guide/files.md.", []string{"MasterFileserver"}, config.Masters, ""},
	{"Master: git", "Remotes of the backend `gitfs` and of `git` in `ext_pillar`, see docs/guide/git.md. A remote may override most options by a parameter of the same name without prefix.", []string{"MasterGit"}, config.Masters, ""},
	{"Master: pillar", "How the master compiles pillar, see docs/guide/pillar.md.", []string{"MasterPillar"}, config.Masters, ""},
	{"Master: rendering and states", "How the master renders, and how its minions collect states.", []string{"MasterRender", "MasterStates"}, config.Masters, ""},
	{"Master: network", "Ports, limits and timeouts of connections.", []string{"MasterNetwork"}, config.Masters, ""},
	{"Master: keys", "Acceptance of keys, encryption and signatures.", []string{"MasterKeys"}, config.Masters, ""},
	{"Master: jobs", "How jobs are waited for, stored and repeated.", []string{"MasterJobs"}, config.Masters, ""},
	{"Master: events", "Events that the master fires, accepts and stores.", []string{"MasterEvents"}, config.Masters, ""},
	{"Master: reactor and schedule", "See docs/guide/reactor.md and docs/guide/schedule.md.", []string{"MasterReact"}, config.Masters, ""},
	{"Master: access", "Who may call what, see docs/guide/access.md.", []string{"MasterAccess"}, config.Masters, ""},
	{"Master: login services", "Services of `external_auth`, see docs/guide/logins.md. `auth.ldap.uri: X` and `auth.ldap: {uri: X}` are the same; the former wins. Options with `^` are entries of `file` or `rest` in `external_auth`.", []string{logins}, config.Masters, ""},
	{"Master: REST API", "Read by `mom api`, see docs/guide/api.md.", []string{"MasterAPI"}, config.Masters, ""},
	{"Master: place in the tree", "Masters above other masters (`order_masters`) and below one (`syndic_*`, read by `mom syndic`).", []string{"MasterSyndic"}, config.Masters, ""},
	{"Master: gossip among nodes", "How nodes learn of each other beside the tree, see docs/guide/topology.md.", []string{"MasterTopology"}, config.Masters, ""},
	{"Minion: files and folders", "Paths, grains and local files.", []string{"MinionFiles"}, config.Minions, ""},
	{"Minion: network", "How a minion connects to its master, and `mom syndic` to the masters above.", []string{"MinionNetwork"}, config.Minions, ""},
	{"Minion: sign-in", "How a minion proves its identity and verifies its master.", []string{"MinionSignIn"}, config.Minions, ""},
	{"Minion: states", "How a minion collects and runs states. Except with `file_client: local` and `salt-call --local`, the master's options count for `state_top`, `state_top_saltenv`, `renderer`, `failhard`, `state_auto_order`, `top_file_merging_strategy`, `env_order`, `default_top`, `jinja_env` and `jinja_sls_env`.", []string{"MinionStates"}, config.Minions, ""},
	{"Minion: jobs", "How a minion runs jobs and returns results, and options of execution modules.", []string{"MinionJobs", "MinionModules"}, config.Minions, ""},
	{"MySQL and MariaDB", "Read by `master_job_cache`, `ext_job_cache`, `event_return` and the returner `mysql`. `mysql.host: X` and `mysql: {host: X}` are the same; the former wins.", []string{"MySQLOptions"}, config.Both, "mysql."},
	{"PostgreSQL: pgjsonb", "Read by `master_job_cache`, `ext_job_cache`, `event_return` and the returner `pgjsonb`, see docs/guide/deploy/postgres.md. `returner.pgjsonb.host: X` and `returner.pgjsonb: {host: X}` are the same; the former wins.", []string{"PgjsonbOptions"}, config.Both, "returner.pgjsonb."},
	{"PostgreSQL: postgres", "The same for the returner `postgres`.", []string{"PostgresOptions"}, config.Both, "returner.postgres."},
	{"PostgreSQL: ext_pillar", "Read by the source `postgres` of `ext_pillar`, as a mapping: `postgres: {host: X}`.", []string{"PostgresPillarOptions"}, config.Masters, "postgres: "},
	{"Kafka", "Read by `event_return` and the returner `kafka`, see docs/guide/events-out.md. `kafka.topic: X` and `kafka: {topic: X}` are the same; the former wins.", []string{"KafkaOptions"}, config.Both, "kafka."},
	{"NATS", "Read by `event_return` and the returner `nats`, see docs/guide/events-out.md. `nats.subject: X` and `nats: {subject: X}` are the same; the former wins.", []string{"NATSOptions"}, config.Both, "nats."},
}

// unread returns the daemons of who that do not read an option.
func unread(name string, who config.Role) string {
	switch missing := config.NotYet[name] & who; {
	case missing == 0:
		return ""
	case missing == who:
		return " *No effect yet.*"
	default:
		return fmt.Sprintf(" *No effect yet at a %s.*", missing)
	}
}

// masterless lists the options of a master that a minion without one reads.
func masterless(out *strings.Builder) {
	out.WriteString("\n## Minion without a master\n\nA minion with `file_client: local` or `master_type: disable`, and `salt-call --local`, compile their own pillar.\n" +
		"They read these options of a master from the file `minion`: " + codes(config.MasterlessOptions) + ".\n")
}

// notYet lists the options of Salt that mom lacks, with the comments of their groups.
func notYet(out *strings.Builder, dir string) error {
	groups, err := readNotYet(dir)
	if err != nil {
		return err
	}
	out.WriteString("\n## Without effect\n\nOptions of Salt that mom knows and does not implement, by the file in which they have no effect.\n\n")
	for _, g := range groups {
		fmt.Fprintf(out, "- **%s**", g.why)
		for _, who := range []config.Role{config.Both, config.Masters, config.Minions} {
			names := slices.DeleteFunc(slices.Clone(g.names), func(n string) bool { return config.NotYet[n] != who })
			if len(names) > 0 {
				fmt.Fprintf(out, " In %s: %s.", who, codes(names))
			}
		}
		out.WriteString("\n")
	}
	return nil
}

// notNeeded lists the options of Salt that have no purpose here, by reason.
func notNeeded(out *strings.Builder) {
	out.WriteString("\n## Not needed\n\nOptions of Salt without effect, because mom works differently.\n\n")
	byReason := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(config.NotNeeded)) {
		byReason[config.NotNeeded[name]] = append(byReason[config.NotNeeded[name]], name)
	}
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		fmt.Fprintf(out, "- %s: %s.\n", codes(byReason[why]), marked(why))
	}
}

func refused(out *strings.Builder) {
	out.WriteString("\n## Refused values\n\nThese values of Salt's defaults, sample files and documentation prevent the start. A daemon starts with every other\nvalue shown there: " +
		"`go test ./internal/config -run TestOptionsOfSalt` tries 1,675 values of 785 options of 3006.27 and 3008.2.\n\n" +
		"| Option | Example | Why |\n| --- | --- | --- |\n")
	for _, r := range config.Refusals {
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", r.Option, code(r.Value), cell(marked(r.Why)))
	}
}

// codes lists names.
func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// cell escapes a text for its cell. Code stays unchanged, except for the border of cells.
func cell(s string) string {
	parts := strings.Split(strings.ReplaceAll(s, "|", `\|`), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = linked(strings.NewReplacer("*", `\*`, "<", "&lt;").Replace(parts[i]))
	}
	return strings.Join(parts, "`")
}

var pages = regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.md\b`)

// linked turns the paths of pages in comments, such as docs/guide/files.md, into links.
func linked(s string) string {
	return pages.ReplaceAllStringFunc(s, func(path string) string {
		to, err := filepath.Rel(filepath.Dir(pagePath), path)
		if err != nil {
			return path
		}
		return fmt.Sprintf("[%s](%s)", filepath.Base(path), filepath.ToSlash(to))
	})
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}
