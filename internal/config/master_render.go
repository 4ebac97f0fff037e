package config

// MasterRender says how a master renders pillars, and whatever else it renders itself.
type MasterRender struct {
	// Renderer is the pipe of SLS files that name none. Default jinja|yaml.
	Renderer string `yaml:"renderer" default:"jinja|yaml"`
	// RendererBlacklist are renderers that no file may use. Default none.
	RendererBlacklist []string `yaml:"renderer_blacklist"`
	// RendererWhitelist are those that files may use alone. Default all.
	RendererWhitelist []string `yaml:"renderer_whitelist"`
	// StateTop is the name of top files. Default top.sls.
	StateTop string `yaml:"state_top" default:"top.sls"`
	// EnvOrder are environments whose top files come first, in this order. Default none.
	EnvOrder []string `yaml:"env_order"`
	// Saltenv is the environment of requests that name none. Default none.
	Saltenv string `yaml:"saltenv"`
	// JinjaEnv are options of Jinja for templates that are no SLS files. Default none.
	JinjaEnv map[string]any `yaml:"jinja_env"`
	// JinjaSlsEnv are those for SLS files. Default none.
	JinjaSlsEnv map[string]any `yaml:"jinja_sls_env"`
	// AllowUndefined lets templates print what is not defined, as nothing. Default false.
	AllowUndefined bool `yaml:"allow_undefined" default:"false"`
	// RenderMaxBytes bounds the memory of one rendering, in bytes: the values and texts of a
	// template, what it reads, and the data that comes of it. Ours. Default 268435456 (256 MiB).
	RenderMaxBytes int64 `yaml:"render_max_bytes" unit:"byte" default:"268435456" min:"16777216" max:"17179869184"`
	// GpgKeydir holds the secret keys for the renderer gpg, as GnuPG exports them: files
	// that end in .asc, .gpg or .key. Default /etc/salt/gpgkeys.
	GpgKeydir string `yaml:"gpg_keydir" default:"/etc/salt/gpgkeys"`
}
