package modules

import (
	"context"

	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

// Text is a Jinja template.
type Text struct {
	Source, Saltenv string     // an empty Saltenv means base
	Path            string     // path of the file in the environment, for relative imports
	Vars            *value.Map // take precedence over grains, pillar and opts; may be nil
}

// RenderText renders a template with the minion's data. The package of states sets it:
// modules do not render.
var RenderText func(ctx context.Context, env Env, jid string, t Text) (string, error)

// renders returns an error if the minion cannot render templates of the engine.
func renders(engine any) error {
	if engine == "jinja" && RenderText != nil {
		return nil
	}
	return CommandErrorf("Attempted to render file paths with unavailable engine %s", PyStr(engine))
}

// renderCommand renders the command line and the folder of a call with template=jinja.
func renderCommand(ctx context.Context, c *Call) error {
	engine := c.Value("template")
	if !pyfmt.Truth(engine) {
		return nil
	}
	if err := renders(engine); err != nil {
		return err
	}
	for _, name := range []string{"cmd", "cwd"} {
		v := c.Value(name)
		text, ok := v.(string)
		if !ok && (name == "cmd" || v != nil) {
			return InvocationErrorf("template=jinja needs %s to be a text, not %s", name, PyRepr(v))
		}
		if !ok {
			continue
		}
		out, err := RenderText(ctx, c.Env, c.JID, Text{Source: text, Saltenv: saltenvOf(c)})
		if err != nil {
			return CommandErrorf("Failed to execute cmd with error: %v", err)
		}
		c.set(name, out)
	}
	return nil
}

// renderNames renders the arguments path and dest of a call with template=jinja.
func renderNames(ctx context.Context, c *Call) error {
	engine := c.Value("template")
	if !pyfmt.Truth(engine) {
		return nil
	}
	if err := renders(engine); err != nil {
		return err
	}
	for _, name := range []string{"path", "dest"} {
		out, err := RenderText(ctx, c.Env, c.JID, Text{Source: c.Str(name), Saltenv: saltenvOf(c)})
		if err != nil {
			return CommandErrorf("Failed to render file path with error: %v", err)
		}
		c.set(name, out)
	}
	return nil
}
