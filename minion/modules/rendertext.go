package modules

import (
	"context"

	"github.com/momtree/mom/internal/python"
)

// RenderText renders a text as a Jinja template with what the minion knows, in an environment
// of files ("" is base). The package of states sets it: modules do not render.
var RenderText func(ctx context.Context, env Env, jid, saltenv, text string) (string, error)

// renderCommand renders the command line and the folder of a call with template=jinja.
func renderCommand(ctx context.Context, c *Call) error {
	engine := c.Value("template")
	if !python.Truth(engine) {
		return nil
	}
	if engine != "jinja" || RenderText == nil {
		return commandErrorf("Attempted to render file paths with unavailable engine %s", PyStr(engine))
	}
	for _, name := range []string{"cmd", "cwd"} {
		v := c.Value(name)
		text, ok := v.(string)
		if !ok && (name == "cmd" || v != nil) {
			return invocationErrorf("template=jinja needs %s to be a text, not %s", name, PyRepr(v))
		}
		if !ok {
			continue
		}
		out, err := RenderText(ctx, c.Env, c.JID, saltenvOf(c), text)
		if err != nil {
			return commandErrorf("Failed to execute cmd with error: %v", err)
		}
		c.set(name, out)
	}
	return nil
}
