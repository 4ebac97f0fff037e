package pillar

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/salt/render"
	"github.com/momtree/mom/value"
)

// loader loads files of the pass that renders the template.
type loader struct{}

// Open reads a file that a template imports.
func (loader) Open(ctx context.Context, env, path string) ([]byte, error) {
	p := passOf(ctx)
	if p == nil {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	if folder, ok := ctx.Value(folderKey{}).(*folder); ok {
		return folder.open(path)
	}
	p.seen.file(p.files, env, path)
	data, err := p.files.Open(ctx, env, path)
	if err == nil {
		p.lookFor(data)
	}
	return data, err
}

// renderFile renders an SLS with the renderers that it names, or those of the configuration.
func (p *pass) renderFile(ctx context.Context, t render.Template, defaults *value.Map) (any, error) {
	pipe := p.c.cfg.Renderer
	if err := p.allowed(t.Source, pipe); err != nil {
		return nil, err
	}
	p.lookFor(t.Source)
	t.Vars = p.vars(defaults)
	return p.c.engine.SLS(ctx, t, pipe)
}

// vars returns the variables of templates.
func (p *pass) vars(defaults *value.Map) *value.Map {
	vars := defaults.Clone()
	if vars == nil {
		vars = value.NewMap()
	}
	pillar, _ := Copy(p.pillar).(*value.Map)
	if pillar == nil {
		pillar = value.NewMap()
	}
	if p.seen.opts == nil {
		p.seen.opts = p.opts()
	}
	vars.Set("grains", p.r.Grains)
	vars.Set("pillar", pillar)
	vars.Set("opts", p.seen.opts)
	vars.Set("pillarenv", textOrNone(p.env))
	return vars
}

// allowed checks the renderers of a file against renderer_blacklist and renderer_whitelist.
func (p *pass) allowed(source []byte, pipe string) error {
	black, white := p.c.cfg.RendererBlacklist, p.c.cfg.RendererWhitelist
	if len(black) == 0 && len(white) == 0 {
		return nil
	}
	if first, _, _ := bytes.Cut(source, []byte("\n")); bytes.HasPrefix(first, []byte("#!")) && !bytes.HasPrefix(first, []byte("#!/")) {
		pipe = string(first[2:])
	}
	for part := range strings.SplitSeq(pipe, "|") {
		name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		if slices.Contains(black, name) || len(white) > 0 && !slices.Contains(white, name) {
			return fmt.Errorf("the renderer %q is disallowed by configuration (renderer_blacklist, renderer_whitelist)", name)
		}
	}
	return nil
}

// varying matches names in templates whose value changes each time or depends on more than the
// files of pillar_roots.
var varying = regexp.MustCompile(`\b(random\w*|\w*rand\w*|lipsum|gen_mac|strftime|date_format|now|file_hashsum|is_text_file|is_bin_file|list_files|which|dns_check|http_query|get_uid|uuid)\b`)

// lookFor excludes the pillar from the cache if a template may yield something else next time.
func (p *pass) lookFor(source []byte) {
	if p.seen.impure == "" {
		if w := varying.Find(source); w != nil {
			p.seen.unfit("a template uses " + string(w))
		}
	}
}
