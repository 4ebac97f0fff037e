package output

import "github.com/momtree/mom/salt/pyfmt"

// textKeys converts all keys to strings.
func textKeys(ps []pyfmt.Pair) {
	for i := range ps {
		ps[i].Key = pyfmt.Str(ps[i].Key)
	}
}
