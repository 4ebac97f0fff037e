package pillar

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// Engines creates engines from the options of a master.
type Engines struct {
	Config *config.Master
	Log    *slog.Logger
}

// New returns an engine with the given loader and functions for templates.
func (e Engines) New(l render.Loader, f render.Functions) (Renderer, error) {
	env, _ := wire.Normal(e.Config.JinjaEnv).(*wire.Map)
	sls, _ := wire.Normal(e.Config.JinjaSlsEnv).(*wire.Map)
	return render.New(render.Options{
		Loader: l, Functions: f, AllowUndefined: e.Config.AllowUndefined, Env: env, SLSEnv: sls, GPG: e.SecretKeys(),
		Read:   ReadSource,
		Limits: render.Limits{Memory: int(e.Config.RenderMaxBytes)},
	})
}

// SecretKeys returns a decrypter with the keys in gpg_keydir, or nil if there are none or they
// cannot be read. Then encrypted values are errors.
func (e Engines) SecretKeys() render.Decrypter {
	dir := e.Config.GpgKeydir
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	k, err := render.OpenKeyring(dir)
	if err != nil {
		e.Log.Error("gpg renderer: secret keys unreadable", "gpg_keydir", dir, "err", err)
		return nil
	}
	return k
}

// Vars returns the variables of the templates that a master renders for itself, in reactions and
// orchestrations: its options, without secrets.
func (e Engines) Vars() *value.Map {
	opts, _ := wire.Normal(e.Config.Shown()).(*value.Map)
	return value.NewMap("opts", opts)
}
