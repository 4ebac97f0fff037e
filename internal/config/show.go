package config

// Show holds the output options of the commands: state results, tables and colors. The
// daemons do not read it.
type Show struct {
	// StateOutput is the amount of output per state: `full`, one line (`terse`), one line unless it
	// failed (`mixed`) or also unless it changed something (`changes`), or by state_output_exclude and
	// state_output_terse (`filter`). `full_id`, `terse_id`, `mixed_id`, `changes_id` and `filter_id`
	// show the id instead of the name.
	StateOutput string `yaml:"state_output" default:"full" oneof:"full full_id terse terse_id mixed mixed_id changes changes_id filter filter_id" unknown:"default"`
	// StateVerbose controls whether states that succeeded without changes are shown.
	StateVerbose bool `yaml:"state_verbose" default:"true"`
	// StateOutputDiff controls whether only states that failed or changed something are shown.
	StateOutputDiff bool `yaml:"state_output_diff" default:"false"`
	// StateOutputProfile controls whether start and duration of states are shown.
	StateOutputProfile bool `yaml:"state_output_profile" default:"true"`
	// StateOutputPct controls whether the summary shows percentages.
	StateOutputPct bool `yaml:"state_output_pct" default:"false"`
	// StateCompressIds controls whether states of one id with the same result are shown as one.
	StateCompressIds bool `yaml:"state_compress_ids" default:"false"`
	// StateTabular is the form of one-line output: `true` aligns it, a string is a Python format with
	// `{0}` color, `{1}` name, `{2}` module, `{3}` function, `{4}` result, `{5}` end of the color,
	// `{6[duration]}` another field of the state.
	StateTabular string `yaml:"state_tabular" type:"boolean or string"`
	// StateOutputExclude is a list, or a string with commas, of the results (`True`, `False`, `None`)
	// that `filter` hides.
	StateOutputExclude []string `yaml:"state_output_exclude"`
	// StateOutputTerse is a list, or a string with commas, of the results that `filter` shows in one
	// line.
	StateOutputTerse []string `yaml:"state_output_terse"`

	// Output is the outputter without `--out`, such as `json` or `txt`. Default: `nested`, or what
	// suits the result; `highstate` means the same.
	Output string `yaml:"output"`
	// OutputFile is the file that results are written to without `--out-file`. Default: standard
	// output.
	OutputFile string `yaml:"output_file"`
	// Color controls whether output is colored; `--force-color` and `--no-color` override it. Default:
	// on a terminal.
	Color string `yaml:"color" type:"boolean" oneof:"true false"`
	// ColorTheme is a YAML file with codes for Salt's color names, such as `RED: '0;35'`.
	ColorTheme string `yaml:"color_theme"`

	// OutTableHasHeader controls whether a line separates the column names.
	OutTableHasHeader bool `yaml:"out.table.has_header" default:"true"`
	// OutTableRowDelimiter is the character of the lines between rows.
	OutTableRowDelimiter string `yaml:"out.table.row_delimiter" default:"-"`
	// OutTableDelim is the text between columns.
	OutTableDelim string `yaml:"out.table.delim" default:" | "`
	// OutTableJustify is the alignment of text.
	OutTableJustify string `yaml:"out.table.justify" default:"center" oneof:"center left right" unknown:"default"`
	// OutTableSeparateRows controls whether a line separates rows.
	OutTableSeparateRows bool `yaml:"out.table.separate_rows" default:"true"`
	// OutTablePrefix is the text before a row.
	OutTablePrefix string `yaml:"out.table.prefix" default:"| "`
	// OutTableSuffix is the text after a row.
	OutTableSuffix string `yaml:"out.table.suffix" default:" |"`
	// OutTableWidth is the width above which text wraps between words.
	OutTableWidth int `yaml:"out.table.width" default:"50" min:"1" max:"10000"`
	// OutTableNestedIndent is the number of blanks before each line.
	OutTableNestedIndent int `yaml:"out.table.nested_indent" default:"0" min:"0" max:"1000"`
	// OutTableRowsKey is the key of the only rows to show. Default: all.
	OutTableRowsKey string `yaml:"out.table.rows_key"`
	// OutTableLabelsKey is the key of the column names.
	OutTableLabelsKey string `yaml:"out.table.labels_key"`
	// OutTableTitle is the title above the rows of out.table.rows_key.
	OutTableTitle string `yaml:"out.table.title"`
}
