package load

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

const (
	bigName = "big.bin"
	// slsFiles and sourceFiles are those of the highstate; top.sls comes on top.
	slsFiles, sourceFiles = 6, 8
	stateFiles            = 1 + slsFiles + sourceFiles
)

// plantFiles lays down what minions fetch, and gives the master's configuration.
func (x *fetchWorld) plantFiles() (conf string, err error) {
	files := map[string]string{"pillar/top.sls": "base:\n  '*':\n    - common\n    - own\n"}
	common := "{% set sites = ['one', 'two', 'three', 'four', 'five'] %}\nsites:\n{% for s in sites %}\n  {{ s }}:\n    port: {{ 8000 + loop.index }}\n" +
		"    aliases:\n{% for n in range(10) %}\n      - {{ s }}-{{ n }}.example.com\n{% endfor %}\n{% endfor %}\n"
	files["pillar/common.sls"] = common
	files["pillar/own.sls"] = "minion: {{ grains.id }}\nsecret: {{ grains['id'] }}-of-{{ grains.get('host', 'nobody') }}\n" +
		"{% if grains['id'].endswith('7') %}\nlucky: True\n{% endif %}\n"
	top := "base:\n  '*':\n"
	for i := range slsFiles {
		top += fmt.Sprintf("    - app%d\n", i)
		sls := "{% set mode = '0644' %}\n"
		for k := i; k < sourceFiles; k += slsFiles {
			sls += fmt.Sprintf("/etc/app%d/file%d:\n  file.managed:\n    - source: salt://files/file%d\n    - template: jinja\n    - mode: {{ mode }}\n", i, k, k)
		}
		for k := range 5 {
			sls += fmt.Sprintf("app%d-step%d:\n  test.nop: []\n", i, k)
		}
		files[fmt.Sprintf("states/app%d.sls", i)] = sls
	}
	files["states/top.sls"] = top
	draw := rand.New(rand.NewPCG(1, 2))
	for k := range sourceFiles {
		text := make([]byte, 4096)
		for i := range text {
			text[i] = byte('a' + draw.IntN(26))
		}
		files[fmt.Sprintf("states/files/file%d", k)] = string(text)
	}
	for name, text := range files {
		path := filepath.Join(x.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	if err := x.plantBig(); err != nil {
		return "", err
	}
	conf = fmt.Sprintf("file_roots: {base: [%s]}\npillar_roots: {base: [%s]}\nminimum_auth_version: 0\n", filepath.Join(x.Dir, "states"), filepath.Join(x.Dir, "pillar"))
	if x.opts.Workers > 0 && x.Salt != "" {
		conf += fmt.Sprintf("worker_threads: %d\n", x.opts.Workers)
	}
	return conf, nil
}

// plantBig writes the large file.
func (x *fetchWorld) plantBig() error {
	if x.opts.Megabytes <= 0 {
		return nil
	}
	h := sha256.New()
	f, err := os.Create(filepath.Join(x.Dir, "states", bigName))
	if err != nil {
		return err
	}
	defer f.Close() // Sync returns the error
	draw := rand.NewChaCha8([32]byte{7})
	piece := make([]byte, 1<<20)
	for range x.opts.Megabytes {
		_, _ = draw.Read(piece) // never fails
		h.Write(piece)
		if _, err := f.Write(piece); err != nil {
			return err
		}
	}
	x.sum = hex.EncodeToString(h.Sum(nil))
	return f.Sync()
}
