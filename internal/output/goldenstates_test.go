package output

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/internal/wire"
)

// optionsOf returns the options with which Salt printed a row of test data.
func optionsOf(t *testing.T, opts *wire.Map) Options {
	var o Options
	opts.Range(func(k, v any) bool {
		yes := v == true
		text, _ := v.(string)
		switch k {
		case "color":
			o.Color = yes
		case "color_theme":
			theme, err := ReadTheme(text)
			if err != nil {
				t.Fatal(err)
			}
			o.Theme = theme
		case "output_indent":
			o.Indent = ptr(int(v.(int64)))
		case "state_output":
			o.States.Output = strings.ToLower(text)
		case "state_verbose":
			o.States.Brief = !yes
		case "state_output_diff":
			o.States.Diff = yes
		case "state_output_profile":
			o.States.NoTimes = !yes
		case "state_output_pct":
			o.States.Percent = yes
		case "state_compress_ids":
			o.States.CompressIDs = yes
		case "state_tabular":
			if o.States.Tabular = Aligned; !yes {
				form, err := ParseTabular(text)
				if err != nil {
					t.Fatal(err)
				}
				o.States.Tabular = form
			}
		case "state_output_exclude":
			o.States.Exclude = Results(v)
		case "state_output_terse":
			o.States.Terse = Results(v)
		case "arg":
			o.States.Arguments(v.([]any))
		case "out.table.separate_rows":
			o.Table.SeparateRows = &yes
		case "out.table.has_header":
			o.Table.Header = &yes
		case "out.table.justify":
			o.Table.Justify = text
		case "out.table.delim":
			o.Table.Delim = &text
		case "out.table.prefix":
			o.Table.Prefix = &text
		case "out.table.suffix":
			o.Table.Suffix = &text
		case "out.table.row_delimiter":
			o.Table.RowDelimiter = &text
		case "out.table.width":
			o.Table.Width = int(v.(int64))
		case "out.table.nested_indent":
			o.Table.Indent = int(v.(int64))
		case "out.table.rows_key":
			o.Table.RowsKey = text
		case "out.table.labels_key":
			o.Table.LabelsKey = text
		case "out.table.title":
			o.Table.Title = text
		default:
			t.Fatalf("option %v of the test data is not known", k)
		}
		return true
	})
	return o
}

// testdata/salt_states_and_tables.jsonl has values and options, and the output of Salt's own
// outputters for states, tables and such.
func TestPrintsStatesAndTablesAsSalt(t *testing.T) {
	f, err := os.Open("testdata/salt_states_and_tables.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	values, rows, bad := map[int64]any{}, map[string]int{}, 0
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		raw, err := wire.FromJSON(sc.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		row, err := wire.DecodeMap(raw)
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := row.Get("id"); ok {
			values[id.(int64)], _ = row.Get("v")
			continue
		}
		of, _ := row.Get("of")
		name, want := row.String("out"), row.String("text")
		rows[name]++
		got, err := Text(name, values[of.(int64)], optionsOf(t, row.Map("opts")))
		if err != nil || got != want {
			if bad++; bad < 12 {
				t.Errorf("%d as %s by %v: %v\n%s", of, name, row.Map("opts"), err, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d differences", bad)
	}
	t.Log(rows)
	for name, least := range map[string]int{"highstate": 700, "table": 150, "pprint": 200, "profile": 12, "newline_values_only": 60, "nested": 1} {
		if rows[name] < least {
			t.Errorf("only %d rows of test data for %s", rows[name], name)
		}
	}
	if sc.Err() != nil || !slices.Contains(Names(), "table") {
		t.Error(sc.Err())
	}
}
