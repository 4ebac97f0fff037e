package salt

import (
	"io"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/output"
)

// dumpConfig shows the options of the master's file (--config-dump).
func (f *flags) dumpConfig(out io.Writer) error {
	conf, err := client.ShownConfig(f.Dir)
	if err != nil {
		return err
	}
	return output.Render(out, "yaml", conf, output.Options{})
}
