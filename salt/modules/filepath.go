package modules

import (
	"context"
	"path"
	"strings"
)

func init() {
	arg := []Arg{{Name: "path", Required: true}}
	of := func(do func(string) string) func(context.Context, *Call) (any, error) {
		return func(_ context.Context, c *Call) (any, error) { return do(c.Str("path")), nil }
	}
	Register("file",
		Function{Name: "dirname", Args: arg, Run: of(pyDirname), Doc: `
Return path without its last part.

CLI Example:

    salt '*' file.dirname 'test/path/filename.config'
`},
		Function{Name: "basename", Args: arg, Run: of(func(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }), Doc: `
Return the last part of path, "" when it ends with a slash.

CLI Example:

    salt '*' file.basename 'test/test.config'
`},
		Function{Name: "normpath", Args: arg, Run: of(pyNormpath), Doc: `
Return path without double slashes and, where possible, without . and ..

CLI Example:

    salt '*' file.normpath 'a/b/c/..'
`},
		Function{Name: "pardir", Run: func(context.Context, *Call) (any, error) { return "..", nil }, Doc: `
Return the name of the parent folder of path.

CLI Example:

    salt '*' file.pardir
`},
		Function{Name: "join", VarArgs: true, Run: fileJoin, Doc: `
Join parts of a path. An absolute part drops the parts before it.

CLI Example:

    salt '*' file.join '/' 'usr' 'local' 'bin'
`},
	)
}

// pyDirname is Python's os.path.dirname.
func pyDirname(p string) string {
	head := p[:strings.LastIndexByte(p, '/')+1]
	if trimmed := strings.TrimRight(head, "/"); trimmed != "" {
		return trimmed
	}
	return head
}

// pyNormpath is Python's os.path.normpath: it keeps two leading slashes.
func pyNormpath(p string) string {
	if strings.HasPrefix(p, "//") && !strings.HasPrefix(p, "///") {
		return "/" + path.Clean(p)
	}
	return path.Clean(p)
}

func fileJoin(_ context.Context, c *Call) (any, error) {
	if len(c.Rest()) == 0 {
		return nil, argErrorf("join needs a part of a path")
	}
	out := PyStr(c.Rest()[0])
	for _, part := range c.Rest()[1:] {
		switch p := PyStr(part); {
		case strings.HasPrefix(p, "/"):
			out = p
		case out == "" || strings.HasSuffix(out, "/"):
			out += p
		default:
			out += "/" + p
		}
	}
	return out, nil
}
