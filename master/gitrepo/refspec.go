package gitrepo

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
)

// DefaultRefspecs are Salt's: branches and tags.
var DefaultRefspecs = []string{"+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"}

func refspecs(texts []string) ([]config.RefSpec, error) {
	if len(texts) == 0 {
		texts = DefaultRefspecs
	}
	var out []config.RefSpec
	for _, t := range texts {
		s := config.RefSpec(t)
		if err := s.Validate(); err != nil || s.IsDelete() {
			return nil, fmt.Errorf("refspecs: %q is not a refspec such as +refs/heads/*:refs/remotes/origin/*", t)
		}
		out = append(out, s)
	}
	return out, nil
}

// mapped renames the refs of a remote by the refspecs.
func mapped(adv *packp.AdvRefs, specs []config.RefSpec, l Limits) (map[string]plumbing.Hash, error) {
	//mutant:git-refs
	if len(adv.References) > l.Refs {
		return nil, fmt.Errorf("%w: %d refs, at most %d", ErrLimit, len(adv.References), l.Refs)
	}
	out := map[string]plumbing.Hash{}
	for name, hash := range adv.References {
		n := plumbing.ReferenceName(name)
		if strings.HasSuffix(name, "^{}") || !strings.HasPrefix(name, "refs/") || n.Validate() != nil || hash.IsZero() {
			continue
		}
		for _, s := range specs {
			if s.Match(n) {
				out[s.Dst(n).String()] = hash
			}
		}
	}
	return out, nil
}
