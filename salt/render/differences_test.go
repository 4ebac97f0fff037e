package render_test

const (
	parserPlace = "the YAML library reports the fault and its line, not where the enclosing collection began; the error shows the lines around instead"
	keyNode     = "Salt prints Python objects of its YAML library here"
)

// different are the cases of the corpus with results other than Salt's, and the reasons.
var different = map[string]string{
	"import-18": "3006.0 fails while it makes its error text; later releases say what we say",
	"errors-78": "as import-18",
	"errors-80": "as import-18",
	"filter-67": "Salt's printing fails on the named tuples of groupby; loops over them are the same",
	"filter-68": "as filter-67",
	"sls-24":    parserPlace,
	"sls-31":    parserPlace,
	"sls-32":    parserPlace,
	"sls-28":    "a quote that is not closed: Salt names the last line, we the line of the quote",
	"sls-57":    "two documents in one file: the same refusal in other words",
	"sls-59":    "!!binary is a text here, since values have to travel to minions of every protocol",
	"sls-60":    "!!set is refused by name: no value that travels to a minion is a set",
	"sls-61":    "!!omap is refused by name, as in Salt, in other words",
	"sls-70":    keyNode,
	"sls-71":    keyNode,
	"pipe-1":    keyNode,
}
