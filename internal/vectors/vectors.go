package vectors

import (
	"embed"
	"encoding/json"
	"fmt"
)

//go:embed salt/*.json
var files embed.FS

// Read decodes a file, such as "crypticle.json", into the value that into points to.
func Read(name string, into any) error {
	b, err := files.ReadFile("salt/" + name)
	if err != nil {
		return fmt.Errorf("golden file: %w", err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("golden file %s: %w", name, err)
	}
	return nil
}
