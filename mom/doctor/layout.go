package doctor

import (
	"path/filepath"

	"github.com/momtree/mom/master/datacache"
)

// lookLayout reports files of Salt 3008 that are elsewhere than in earlier
// versions.
func lookLayout(p *patient) {
	if driver, _ := p.options["keys.cache_driver"].(string); driver == "mmap_key" {
		p.fails(areaKeys, p.conf.Place("keys.cache_driver").String(),
			"write each accepted key into the directory minions of pki_dir, as PEM, before mom starts; or accept the minions anew",
			"keys.cache_driver: mmap_key keeps keys in binary files, which mom does not read")
	}
	if datacache.UsedBySalt3008(p.conf.Cachedir) {
		p.works("cache", filepath.Join(p.conf.Cachedir, "grains"),
			"Salt 3008 has used this cache: grains, pillar, mine and tokens are read in its form, and written in it for the way back")
	}
}
