package output

import "github.com/momtree/mom/salt/pyfmt"

// textKeys makes all keys texts.
func textKeys(ps []pyfmt.Pair) {
	for i := range ps {
		ps[i].Key = pyfmt.Str(ps[i].Key)
	}
}
