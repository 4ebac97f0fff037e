package config

// MasterRender holds how a master renders pillar, orchestrations and reactions.
type MasterRender struct {
	// Renderer is the render pipe of SLS files without a `#!` line.
	Renderer string `yaml:"renderer" default:"jinja|yaml"`
	// RendererBlacklist is a list of renderers that are forbidden.
	RendererBlacklist []string `yaml:"renderer_blacklist"`
	// RendererWhitelist is a list of the only renderers that are allowed. Default: all.
	RendererWhitelist []string `yaml:"renderer_whitelist"`
	// StateTop is the name of top files.
	StateTop string `yaml:"state_top" default:"top.sls"`
	// EnvOrder is a list of environments whose top files come first, in this order.
	EnvOrder []string `yaml:"env_order"`
	// Saltenv is the environment of requests without one.
	Saltenv string `yaml:"saltenv"`
	// JinjaEnv is a map of Jinja options for templates other than SLS files.
	JinjaEnv map[string]any `yaml:"jinja_env"`
	// JinjaSlsEnv is a map of Jinja options for SLS files.
	JinjaSlsEnv map[string]any `yaml:"jinja_sls_env"`
	// AllowUndefined controls whether undefined variables render as an empty string instead of an
	// error.
	AllowUndefined bool `yaml:"allow_undefined" default:"false"`
	// RenderMaxBytes is the memory limit of one rendering: values and texts of the template, what it
	// reads, and the resulting data. Not in Salt.
	RenderMaxBytes int64 `yaml:"render_max_bytes" unit:"byte" default:"268435456" min:"16777216" max:"17179869184"`
	// GpgKeydir is the directory of the secret keys of the renderer `gpg`: files exported by GnuPG,
	// ending in `.asc`, `.gpg` or `.key`.
	GpgKeydir string `yaml:"gpg_keydir" default:"/etc/salt/gpgkeys"`
}
