package render

import (
	"context"
	"errors"
	"net/http"

	"github.com/momtree/mom/value"
)

// ErrNoFunction is the error of [Functions] for an unknown name.
var ErrNoFunction = errors.New("no such function")

// Loader finds the files that a template imports: salt:// paths of one environment, without
// the scheme. The error is [fs.ErrNotExist] if a file does not exist.
type Loader interface {
	Open(ctx context.Context, saltenv, path string) (data []byte, err error)
}

// Placer is a [Loader] that knows the paths of its files on this machine, for errors in
// imported files.
type Placer interface {
	Place(saltenv, path string) string
}

// Functions provides the functions that salt['a.b'](…) calls. The error is [ErrNoFunction]
// for an unknown name. The engine itself has the functions of [Pure].
//
// The message of a [*Refused] begins with "Problem running salt function in Jinja
// template", that of any other error with "Jinja error".
type Functions interface {
	Call(ctx context.Context, name string, args []any, kwargs *value.Map) (any, error)
}

// Lister is a [Functions] that knows its names, for 'a.b' in salt and for salt['a.b'] is
// defined. Without it, every name with a dot counts as defined until it is called.
type Lister interface {
	Has(name string) bool
}

// Namer is a [Functions] that lists its names, for salt.keys().
type Namer interface {
	Names(ctx context.Context) []string
}

// Refused is the error of a function that was called wrongly or failed: Salt's
// SaltInvocationError and CommandExecutionError.
type Refused struct{ Text string }

// Error returns the text.
func (e *Refused) Error() string { return e.Text }

// Decrypter decrypts an armored PGP message.
type Decrypter interface {
	Decrypt(ctx context.Context, armored []byte) ([]byte, error)
}

// Template is one file to render, with its variables.
type Template struct {
	Source  []byte
	SLS     string     // dotted name; "" for a plain file template
	Saltenv string     // "" means base
	Path    string     // path inside the environment ("web/init.sls"): tplpath, tpldir, relative imports
	Vars    *value.Map // grains, pillar, opts, and those of the caller (tag, data, source …)

	// Functions of this template take precedence over those of the engine.
	Functions Functions

	// Context and Defaults are those of file.managed. Context overrides Defaults, and both
	// override Vars.
	Context, Defaults *value.Map
}

// Options configure an [Engine]. With the zero value, templates import nothing and call
// nothing.
type Options struct {
	Loader         Loader
	Functions      Functions
	AllowUndefined bool       // allow_undefined: undefined values print as nothing
	Env            *value.Map // jinja_env: for templates without SLS name
	SLSEnv         *value.Map // jinja_sls_env: for SLS
	GPG            Decrypter  // for the renderer gpg; nil fails on encrypted values
	// HTTP sends the requests of the filter http_query; nil rejects them.
	HTTP *http.Client
	// Read reads the files of slsutil.renderer; nil rejects them.
	Read Reader
	// ReadImports lets templates import by absolute path any file that Read reads.
	ReadImports bool
	Limits      Limits
}

// Limits bound one rendering. A zero field means its default.
type Limits struct {
	Source int // bytes of one file, default 16 MiB
	Output int // bytes of text and of any one string, default 64 MiB
	Memory int // bytes of everything that one rendering holds, default 256 MiB
	Values int // elements of one list or map that a template builds, and of one YAML document; default 1 million
	Depth  int // macros, includes and imports inside each other, default 100
	Steps  int // iterations, calls and their work (256 bytes or 32 values count as one), default 10 million
}
