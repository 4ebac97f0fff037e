package channel

import (
	"fmt"
	"path/filepath"
	"strings"
)

// PinOfParent returns the name of the file in pki_dir in which a syndic with several masters pins
// the key of one of them.
func PinOfParent(host string) string {
	return "syndic_master." + strings.Map(func(r rune) rune {
		if r == '/' || r == filepath.Separator || r == 0 {
			return '_'
		}
		return r
	}, host) + ".pub"
}

// PinOfTop returns the name of the file in pki_dir in which a top pins the key of another top of
// its cluster.
func PinOfTop(host string, port int) string {
	return strings.NewReplacer("/", "_", ":", "_").Replace(fmt.Sprintf("cluster_%s_%d.pub", host, port))
}
