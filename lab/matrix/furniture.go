package matrix

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// furniture is what masters serve: below srv files, a formula and modules, below pillar the
// pillar. MASTER stands for the id of the master, OUT for the folder into which states write.
//
//go:embed all:furniture
var furniture embed.FS

// furnish lays the furniture into the folder of a master.
func furnish(dir, id, out string) error {
	say := strings.NewReplacer("MASTER", id, "OUT", out)
	err := fs.WalkDir(furniture, "furniture", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := furniture.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, strings.TrimPrefix(path, "furniture/"))
		mode := os.FileMode(0o644)
		if strings.HasSuffix(path, ".sh") {
			mode = 0o755 // our minions take no module that could not be run
		}
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, []byte(say.Replace(string(text))), mode))
	})
	if err != nil {
		return fmt.Errorf("files of the master %s: %w", id, err)
	}
	// One that only the top has.
	if id == "top" {
		return os.WriteFile(filepath.Join(dir, "srv", "top-only.txt"), []byte("from the top\n"), 0o644)
	}
	return nil
}
