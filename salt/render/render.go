package render

import (
	"context"
	"errors"
	"net/http"

	"github.com/momtree/mom/value"
)

// ErrNoFunction is the error of [Functions] for a name that nobody has registered.
var ErrNoFunction = errors.New("no such function")

// Loader finds the files that a template imports: salt:// paths of one environment,
// without the scheme. A file that is not there is an error that is [fs.ErrNotExist].
type Loader interface {
	Open(ctx context.Context, saltenv, path string) (data []byte, err error)
}

// Placer is a [Loader] that knows where its files lie on this machine, for the texts of
// errors in imported files.
type Placer interface {
	Place(saltenv, path string) string
}

// Functions are what salt['a.b'](…) calls. An unknown name is an error that is
// [ErrNoFunction]. The functions of [Pure] are not asked for: the engine has them.
//
// An error is told as "Problem running salt function in Jinja template" when it is a
// [*Refused], else as "Jinja error".
type Functions interface {
	Call(ctx context.Context, name string, args []any, kwargs *value.Map) (any, error)
}

// Lister is [Functions] that can tell which there are: for 'a.b' in salt and
// salt['a.b'] is defined. Without it every name with a dot is taken to be there until it is called.
type Lister interface {
	Has(name string) bool
}

// Namer is [Functions] that names what there is, for salt.keys().
type Namer interface {
	Names(ctx context.Context) []string
}

// Refused is the error of a function that was called wrongly or could not do its work:
// Salt's SaltInvocationError and CommandExecutionError.
type Refused struct{ Text string }

// Error is the text.
func (e *Refused) Error() string { return e.Text }

// Decrypter turns an armored PGP message into its text.
type Decrypter interface {
	Decrypt(ctx context.Context, armored []byte) ([]byte, error)
}

// Template is one file to render with what is known to it.
type Template struct {
	Source  []byte
	SLS     string     // dotted name; "" for a plain file template
	Saltenv string     // "" means base
	Path    string     // path inside the environment ("web/init.sls"): tplpath, tpldir, relative imports
	Vars    *value.Map // grains, pillar, opts, and what the caller adds (tag, data, source …)

	// Functions of this template go before those of the engine.
	Functions Functions

	// Context and Defaults are those of file.managed: Context goes before Defaults, both
	// before Vars.
	Context, Defaults *value.Map
}

// Options are what an [Engine] works with. The zero value renders templates that import
// nothing and call nothing.
type Options struct {
	Loader         Loader
	Functions      Functions
	AllowUndefined bool       // allow_undefined: what is not defined prints as nothing
	Env            *value.Map // jinja_env: for templates without SLS name
	SLSEnv         *value.Map // jinja_sls_env: for SLS
	GPG            Decrypter  // for the renderer gpg; nil refuses what it would have to decrypt
	// HTTP makes the requests of the filter http_query; nil refuses them.
	HTTP *http.Client
	// Read reads the files of slsutil.renderer; nil refuses them.
	Read Reader
	// ReadImports lets templates import and include by an absolute path what Read reads.
	ReadImports bool
	Limits      Limits
}

// Limits bound what one template may use. A zero field takes its default.
type Limits struct {
	Source int // bytes of one file, default 16 MiB
	Output int // bytes of text and of any one string, default 64 MiB
	Memory int // bytes of all that one rendering holds, default 256 MiB
	Values int // elements of one list or map that a template builds, and of one YAML document; default 1 million
	Depth  int // macros, includes and imports inside each other, default 100
	Steps  int // loop rounds and calls of one rendering, and what they touch: 256 bytes or 32 values are one; default 10 million
}
