package config

// Show holds how the commands show results: of states (highstate, and all that prints
// such), in tables, and in which colours. The daemons do nothing with it.
type Show struct {
	// StateOutput is how much is shown of a state: full, one line (terse), one line unless
	// it failed (mixed), one line unless it failed or changed something (changes), or by
	// state_output_exclude and state_output_terse (filter). _id behind it shows the id in the
	// place of the name. Default full.
	StateOutput string `yaml:"state_output" default:"full" oneof:"full full_id terse terse_id mixed mixed_id changes changes_id filter filter_id" unknown:"default"`
	// StateVerbose shows states that succeeded and changed nothing. Default true.
	StateVerbose bool `yaml:"state_verbose" default:"true"`
	// StateOutputDiff leaves those out, too. Default false.
	StateOutputDiff bool `yaml:"state_output_diff" default:"false"`
	// StateOutputProfile shows when states began and how long they took. Default true.
	StateOutputProfile bool `yaml:"state_output_profile" default:"true"`
	// StateOutputPct adds to the summary how many per cent succeeded and failed. Default
	// false.
	StateOutputPct bool `yaml:"state_output_pct" default:"false"`
	// StateCompressIds shows the states of several names under one id, with one result, as
	// one. Default false.
	StateCompressIds bool `yaml:"state_compress_ids" default:"false"`
	// StateTabular aligns what is shown in one line (true), or is its form in Python's words:
	// {0} is the colour, {1} the name, {2} the module, {3} the function, {4} the result, {5}
	// the end of the colour, {6[duration]} something else of the state. Default false, kept
	// as "".
	StateTabular string `yaml:"state_tabular"`
	// StateOutputExclude are the results (True, False, None) that filter leaves out: a list,
	// or a text with commas. Default none.
	StateOutputExclude []string `yaml:"state_output_exclude"`
	// StateOutputTerse are the results that filter shows in one line. Default none.
	StateOutputTerse []string `yaml:"state_output_terse"`

	// Output is how results are written where the line does not say --out, such as json or
	// txt. Default none: nested, or what suits the result; highstate means the same.
	Output string `yaml:"output"`
	// OutputFile is the file that results are written to where the line does not say
	// --out-file. Default none: standard output.
	OutputFile string `yaml:"output_file"`
	// Color has results in colours wherever they go (true), or never (false); the line's
	// --force-color and --no-color go before it. Default none: on a terminal.
	Color string `yaml:"color" oneof:"true false"`
	// ColorTheme is a file in YAML with codes for some of Salt's names of colours, such as
	// RED: '0;35'. Default none.
	ColorTheme string `yaml:"color_theme"`

	// OutTableHasHeader puts a line under the names of columns. Default true.
	OutTableHasHeader bool `yaml:"out.table.has_header" default:"true"`
	// OutTableRowDelimiter is what lines between rows are made of. Default -.
	OutTableRowDelimiter string `yaml:"out.table.row_delimiter" default:"-"`
	// OutTableDelim stands between columns. Default " | ".
	OutTableDelim string `yaml:"out.table.delim" default:" | "`
	// OutTableJustify is where texts stand in their columns. Default center.
	OutTableJustify string `yaml:"out.table.justify" default:"center" oneof:"center left right" unknown:"default"`
	// OutTableSeparateRows puts a line between rows. Default true.
	OutTableSeparateRows bool `yaml:"out.table.separate_rows" default:"true"`
	// OutTablePrefix stands before a row. Default "| ".
	OutTablePrefix string `yaml:"out.table.prefix" default:"| "`
	// OutTableSuffix stands behind a row. Default " |".
	OutTableSuffix string `yaml:"out.table.suffix" default:" |"`
	// OutTableWidth is how wide a column gets before its texts are broken between words.
	// Default 50.
	OutTableWidth int `yaml:"out.table.width" default:"50" min:"1" max:"10000"`
	// OutTableNestedIndent is how many blanks stand before all. Default 0.
	OutTableNestedIndent int `yaml:"out.table.nested_indent" default:"0" min:"0" max:"1000"`
	// OutTableRowsKey is the name of the rows that alone are shown. Default none: all.
	OutTableRowsKey string `yaml:"out.table.rows_key"`
	// OutTableLabelsKey is the name under which the names of columns stand. Default none.
	OutTableLabelsKey string `yaml:"out.table.labels_key"`
	// OutTableTitle stands above the rows of out.table.rows_key. Default none.
	OutTableTitle string `yaml:"out.table.title"`
}
