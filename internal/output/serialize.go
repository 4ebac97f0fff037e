package output

// YAML writes a value as yaml.safe_dump of Python does in block style: keys sorted, lines
// folded after 80 columns. With ascii characters beyond ASCII are escaped
// (allow_unicode=False).
func YAML(v any, ascii bool) string {
	e := &emitter{step: 2, indent: -1, whitespace: true, indention: true, ascii: ascii}
	e.node(v, place{root: true})
	return e.String()
}

// Python writes a value as pprint.pformat of Python does.
func Python(v any) string { return pformat(v, 1) }
