package salt

import (
	"io"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/output"
	"github.com/momtree/mom/internal/wire"
)

// dumpConfig shows the options of the master's file (--config-dump).
func (f *flags) dumpConfig(out io.Writer) error {
	conf, _, err := config.LoadMaster(f.Dir)
	if err != nil {
		return err
	}
	return output.Render(out, "yaml", wire.Normal(conf.Shown()), output.Options{})
}
