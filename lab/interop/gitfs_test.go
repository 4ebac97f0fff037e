//go:build saltpeer

package interop

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/momtree/mom/master/files/gitfs/gitfstest"
)

// TestGitfs: of the same repositories our master serves what that of Salt serves. Salt needs
// GitPython and git.
func TestGitfs(t *testing.T) {
	site := gitfstest.NewSite(t)
	withPeers(t, func(t *testing.T, p *peer) {
		for _, c := range gitfstest.Cases {
			t.Run(c.Name, func(t *testing.T) {
				if d := cmp.Diff(gitfstest.Salt(t, p.Dir, site, c), gitfstest.Ours(t, site, c)); d != "" {
					t.Errorf("Salt (-), ours (+):\n%s", d)
				}
			})
		}
	})
}
