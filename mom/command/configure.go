package command

import (
	"cmp"
	"log/slog"
	"strings"

	"github.com/momtree/mom/internal/output"
)

// Configuration returns options of a master or minion by name, as package config and
// client.Options do.
type Configuration interface {
	Get(name string) (any, bool)
}

// Configure takes output options that the command line does not set from a configuration. It logs
// unusable values.
func (f *Output) Configure(c Configuration, log *slog.Logger) {
	text := func(v any, _ bool) string { s, _ := v.(string); return s }
	yes := func(v any, known bool) bool { return known && v == true }
	no := func(v any, known bool) bool { return known && v == false }
	whole := func(v any, _ bool) int { n, _ := v.(int64); return int(n) }
	if f.unknown != "" {
		log.Error("Invalid outputter " + f.unknown + " specified, falling back to nested") //nolint:sloglint // Salt's text
	}
	f.writes(text(c.Get("output")), log)
	f.File, f.paint = cmp.Or(f.File, text(c.Get("output_file"))), text(c.Get("color"))
	f.states = output.States{
		Output: text(c.Get("state_output")), Brief: no(c.Get("state_verbose")), Diff: yes(c.Get("state_output_diff")),
		NoTimes: no(c.Get("state_output_profile")), Percent: yes(c.Get("state_output_pct")), CompressIDs: yes(c.Get("state_compress_ids")),
		Exclude: results(c.Get("state_output_exclude")), Terse: results(c.Get("state_output_terse")),
	}
	switch form := text(c.Get("state_tabular")); form {
	case "":
	case "true":
		f.states.Tabular = output.Aligned
	default:
		own, err := output.ParseTabular(form)
		if err != nil {
			log.Warn("state_output shown in Salt's form", "err", err)
		}
		f.states.Tabular = own
	}
	line := func(v any, known bool) *string {
		if s, ok := v.(string); known && ok {
			return &s
		}
		return nil
	}
	flag := func(v any, known bool) *bool {
		if b, ok := v.(bool); known && ok {
			return &b
		}
		return nil
	}
	f.table = output.TableForm{
		Header: flag(c.Get("out.table.has_header")), RowDelimiter: line(c.Get("out.table.row_delimiter")), Delim: line(c.Get("out.table.delim")),
		Justify: text(c.Get("out.table.justify")), SeparateRows: flag(c.Get("out.table.separate_rows")),
		Prefix: line(c.Get("out.table.prefix")), Suffix: line(c.Get("out.table.suffix")), Width: whole(c.Get("out.table.width")),
		Indent: whole(c.Get("out.table.nested_indent")), RowsKey: text(c.Get("out.table.rows_key")),
		LabelsKey: text(c.Get("out.table.labels_key")), Title: text(c.Get("out.table.title")),
	}
	file := text(c.Get("color_theme"))
	if file == "" {
		return
	}
	theme, err := output.ReadTheme(file)
	if err != nil {
		log.Warn("output theme ignored, using Salt's colours", "err", err)
	}
	f.theme = theme
}

// writes sets the outputter of a configuration if the command line has none. It ignores highstate,
// the default for results of states.
func (f *Output) writes(name string, log *slog.Logger) {
	switch {
	case f.Outputter != "" || name == "" || name == "highstate":
	case name == "text":
		f.Outputter = "txt"
	case output.Known(name):
		f.Outputter = name
	default:
		log.Warn("unknown outputter ignored", "output", name, "known", output.Names())
	}
}

// results reads the results that state_output: filter leaves out or shortens.
func results(v any, known bool) []string {
	if !known || v == nil {
		return nil
	}
	var out []string
	for _, r := range output.Results(v) {
		out = append(out, strings.Split(r, ",")...)
	}
	return out
}

// Arguments takes the options of state_output: filter (exclude=, terse=) from the arguments
// of a job.
func (f *Output) Arguments(args []any) { f.states.Arguments(args) }
