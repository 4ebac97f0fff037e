package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/momtree/mom/salt/render"
)

// lookSecrets opens the keys for secrets in pillars as the master does. Salt has gpg open
// them, whose own store of keys is not read here.
func lookSecrets(p *patient) {
	const area = "secrets"
	dir := p.conf.GpgKeydir
	_, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) && p.conf.DecryptPillar == nil {
		return
	}
	if _, err = render.OpenKeyring(dir); err == nil {
		p.works(area, dir, "the secret keys for the renderer gpg and decrypt_pillar can be read")
		return
	}
	p.fails(area, dir, "gpg --homedir "+dir+" --export-secret-keys --armor > "+filepath.Join(dir, "salt.asc"), "secrets in pillars cannot be opened: %v", err)
}
