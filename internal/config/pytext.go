package config

import "github.com/momtree/mom/salt/pyfmt"

// pyText is the text Salt sees where it wants text and the file holds a
// number or a word like yes: Python's str().
func pyText(v any) string { return pyfmt.Str(v) }
