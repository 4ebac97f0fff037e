package config

import "github.com/momtree/mom/salt/pyfmt"

// pyText is Python's str(): the text that Salt uses if a file has a number or a word like yes
// where a string is expected.
func pyText(v any) string { return pyfmt.Str(v) }
