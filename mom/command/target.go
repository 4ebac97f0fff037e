package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/options"
)

// Target are the options that say what kind a target is.
type Target struct {
	kind, option, delimiter string
}

// Register adds the options to those of a command. compound are the names of the one for
// compound targets, which are not the same for all commands.
func (f *Target) Register(s *options.Set, compound string) {
	f.delimiter, f.kind = ":", "glob"
	s.Group("Target Options")
	for _, k := range []struct{ names, kind, help string }{
		{"-E --pcre", "pcre", "the target is a regular expression, anchored at its start"},
		{"-L --list", "list", "the target is a list of ids, separated by commas or blanks"},
		{"-G --grain", "grain", "the target is a grain: key:value, where the value is a glob"},
		{"-P --grain-pcre", "grain_pcre", "the target is a grain: key:value, where the value is a regular expression"},
		{"-N --nodegroup", "nodegroup", "the target is the name of a node group of the master's configuration"},
		{compound, "compound", "the target joins several: G@os:Debian and not web*; B@NODE is who is behind a node, D@N who has N nodes between"},
		{"-I --pillar", "pillar", "the target is pillar data: key:value, where the value is a glob"},
		{"-J --pillar-pcre", "pillar_pcre", "the target is pillar data: key:value, where the value is a regular expression"},
		{"-S --ipcidr", "ipcidr", "the target is an IP address or network"},
	} {
		s.Do(k.names, k.help, func() error {
			if f.option != "" {
				return &options.Error{Text: "The options " + f.option + " and " + k.names + " are mutually exclusive. Please only choose one of them"}
			}
			f.kind, f.option = k.kind, k.names
			return nil
		})
	}
	s.Do("-R --range", "refused: this program does not ask range servers", func() error {
		return &options.Error{Text: "range targets are not supported: no range server is asked; use a node group or a list"}
	})
	s.Text(&f.delimiter, "--delimiter", "TEXT", "what separates the keys of a grain or pillar target; default: a colon")
}

// Of makes a target that of a job.
func (f *Target) Of(j *client.Job, tgt string) {
	j.Tgt, j.TgtType = tgt, f.kind
	if f.kind == "list" {
		j.Tgt = ids(tgt)
	}
	if f.delimiter == ":" {
		return
	}
	if j.Extra == nil {
		j.Extra = map[string]any{}
	}
	j.Extra["delimiter"] = f.delimiter
}

// Explain writes to w what is hardly meant in a target: parentheses of a compound target
// that belong to its words.
func (f *Target) Explain(w io.Writer, tgt string) {
	if hint := client.TargetHint(tgt, f.kind); hint != "" {
		fmt.Fprintf(w, "[WARNING ] %s\n", hint) // nowhere else to report it
	}
}

// ids reads a list target.
func ids(text string) []string {
	if !strings.Contains(text, ",") {
		return strings.Fields(text)
	}
	var out []string
	for id := range strings.SplitSeq(strings.ReplaceAll(text, " ", ""), ",") {
		if id != "" {
			out = append(out, id)
		}
	}
	return out
}
