package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Page makes docs/reference/compatibility.md of a run.
func Page(r Run) string {
	p := &page{}
	p.say("# Which daemons of mom and of Salt work together, and what of it was tried?\n")
	p.say("Made of the last run of `make matrix` ([figures](../../lab/matrix/testdata/matrix.json)); do not edit it by hand. What to set and")
	p.say("what differs on purpose is in [interop.md](../guide/interop.md).\n")
	p.say("    SALT_PEER=/opt/salt-3006.0 SALT_PEER3=/opt/salt-3007 SALT_PEER8=/opt/salt-3008.2 make matrix   # all; then this page")
	p.say("    … make matrix ARGS=\"--only 'mom - Salt 3006'\"                                   # one world, in the place of what it was\n")
	p.say("Played %s; the figures of each world have their date, and the versions they were played with. Salt 3006 (`SALT_PEER`) speaks version 2 of the request", r.when())
	p.say("protocol, Salt 3007 (`SALT_PEER3`) and Salt 3008 (`SALT_PEER8`) version 3, as 3006.12 and newer.\n")
	p.say("A chain is read from the top down: `mom – Salt 3006 – mom` is a minion of ours below a syndic node of Salt's below a top of ours. A node of ours is one")
	p.say("process (`mom syndic`), of Salt's a `salt-master` and a `salt-syndic`, of `Salt 3008 + mom` a `salt-master` and a `mom syndic --standalone`. All masters have `minimum_auth_version: 0` and `order_masters: True`. Jobs are given at the top, by our `salt --async` where no")
	p.say("row says whose, and judged there: by what came to its event bus, and in the files that states have written.\n")
	yes, no, none := r.count()
	p.say("%d cells are as asked, %d are not, %d cannot be asked; each of these has its reason [below](#why).\n", yes, no, none)
	p.say("## What is asked\n")
	p.say("| of each minion | what has to come |\n|---|---|")
	for _, row := range Rows() {
		p.say("| %s | %s |", row.Name, row.About)
	}
	for i, x := range checks() {
		p.say("\n| %s | what has to come |\n|---|---|", [...]string{"commands of the other kind, on the host of the top", "REST API of the other kind, beside the top"}[i])
		for _, c := range x.checks {
			p.say("| %s | %s |", c.Name, c.About)
		}
	}
	for _, t := range r.Tables {
		p.table(t)
	}
	if rest := r.unplayed(); len(rest) > 0 {
		p.say("\n## Not played yet\n\nWorlds, chains and rows that are newer than the figures; `make matrix ARGS=\"--only '…'\"` plays a world.\n")
		for _, what := range rest {
			p.say("- %s", what)
		}
	}
	p.reasons()
	return p.text.String()
}

type page struct {
	text strings.Builder
	used []string // keys of notes, by their numbers
}

func (p *page) say(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// table shows one world: its minions, then the commands and APIs beside its top.
func (p *page) table(t Table) {
	p.say("\n## %s\n", t.Name)
	with := ""
	for _, k := range slices.Sorted(maps.Keys(t.Salts)) {
		with += fmt.Sprintf(", %s: %s", k, strings.TrimPrefix(t.Salts[k], "salt-master "))
	}
	p.say("%s, %s, mom at `%s`%s.", t.Began.Format(minute), minutes(t.Seconds), t.Mom, with)
	if t.Error != "" {
		p.say("\nNot played to its end: %s", t.Error)
	}
	rows := rowNames()
	for _, of := range []string{OfMinion, OfCommands, OfAPI} {
		var cols []Column
		for _, c := range t.Columns {
			if c.Kind == of {
				cols = append(cols, c)
			}
		}
		if len(cols) == 0 {
			continue
		}
		p.say("")
		head, line := "|", "|---|"
		for _, c := range cols {
			head += " | " + t.Title(c)
			line += "---|"
		}
		p.say("%s |\n%s", head, line)
		for _, name := range rows[of] {
			row, there := "| "+name, false
			for _, c := range cols {
				text := ""
				if i := slices.IndexFunc(c.Cells, func(cell Cell) bool { return cell.Row == name }); i >= 0 {
					text, there = p.cell(t, c, c.Cells[i]), true
				}
				row += " | " + text
			}
			if there {
				p.say("%s |", row)
			}
		}
	}
}

// rowNames are the names of all rows by the kind of their columns, in order.
func rowNames() map[string][]string {
	out := map[string][]string{}
	for _, r := range Rows() {
		out[OfMinion] = append(out[OfMinion], r.Name)
	}
	for _, x := range checks() {
		for _, c := range x.checks {
			out[x.of] = append(out[x.of], c.Name)
		}
	}
	return out
}

// cell is yes, or why not.
func (p *page) cell(t Table, c Column, cell Cell) string {
	if cell.Wrong == "" {
		return "yes"
	}
	n := t.note(c, cell)
	switch {
	case n == nil:
		return "**no**: " + strings.ReplaceAll(cell.Wrong, "|", "\\|")
	case n.None:
		return fmt.Sprintf("– (%d)", p.number(n.Key))
	}
	return fmt.Sprintf("**no** (%d)", p.number(n.Key))
}

func (p *page) number(key string) int {
	if i := slices.Index(p.used, key); i >= 0 {
		return i + 1
	}
	p.used = append(p.used, key)
	return len(p.used)
}

// reasons are the notes that were used, and the chains that cannot be.
func (p *page) reasons() {
	p.say("\n## Why\n")
	for i, key := range p.used {
		for _, n := range Notes() {
			if n.Key == key {
				p.say("%d. **%s.** %s", i+1, n.Side, n.Text)
			}
		}
	}
	p.say("\n## Chains that are not there\n")
	p.say("`%s`: Salt's minions and syndics of protocol 3 (3007, 3008, and 3006.12 and newer)", strings.Join(Impossible(), "`, `"))
	p.say("need a session key in the answer to their sign-in, and a master of protocol 2 gives none: they end with an exception there, whatever is above or below. Ours take either answer.")
}

// count counts the cells: as asked, not so, and those that cannot be asked.
func (r Run) count() (yes, no, none int) {
	for _, t := range r.Tables {
		for _, c := range t.Columns {
			for _, cell := range c.Cells {
				n := t.note(c, cell)
				switch {
				case cell.Wrong == "":
					yes++
				case n != nil && n.None:
					none++
				default:
					no++
				}
			}
		}
	}
	return yes, no, none
}

const minute = "2006-01-02 15:04 UTC"

// when says from when to when the worlds were played.
func (r Run) when() string {
	if len(r.Tables) == 0 {
		return "never"
	}
	first, last := r.Tables[0].Began, r.Tables[0].Began
	var all float64
	for _, t := range r.Tables {
		if t.Began.Before(first) {
			first = t.Began
		}
		if t.Began.After(last) {
			last = t.Began
		}
		all += t.Seconds
	}
	return fmt.Sprintf("from %s to %s, %s in all", first.Format(minute), last.Format(minute), minutes(all))
}

func minutes(s float64) string {
	d := time.Duration(s * float64(time.Second)).Round(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
