package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/posix"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/value"
)

// shadowKeys are the fields of a line of /etc/shadow, except the last.
var shadowKeys = []string{"name", "passwd", "lstchg", "min", "max", "warn", "inact", "expire"}

func init() {
	name := Arg{Name: "name", Required: true}
	const about = `root is the folder of another system.`
	Register("shadow",
		Function{Name: "default_hash", Run: func(context.Context, *Call) (any, error) { return "!", nil }, Doc: `
Return the password hash that means an unset password.

CLI Example:

    salt '*' shadow.default_hash
`},
		Function{Name: "info", Args: []Arg{name, rootArg}, Run: shadowInfo, Doc: `
Return the password hash of the user name and its aging; all fields are "" if
the user does not exist. ` + about + `

CLI Example:

    salt '*' shadow.info root
`},
		Function{Name: "list_users", Args: []Arg{rootArg}, Run: shadowList, Doc: `
List all users that may have a password. ` + about + `

CLI Example:

    salt '*' shadow.list_users
`},
		Function{
			Name: "set_password", Run: shadowSet,
			Args: []Arg{name, {Name: "password", Required: true}, {Name: "use_usermod", Default: false}, rootArg},
			Doc: `
Set the password of the user name: password is its hash. use_usermod=True uses
usermod, whose arguments other users of the host may see. Returns whether it
succeeded. ` + about + `

CLI Example:

    salt '*' shadow.set_password root '$6$UYCIxa62...'
`,
		},
		Function{Name: "del_password", Args: []Arg{name, rootArg}, Run: shadowPasswd("-d", func(p string) bool { return p == "" }), Doc: `
Delete the password of the user name. Returns whether it has none. ` + about + `

CLI Example:

    salt '*' shadow.del_password username
`},
		Function{Name: "lock_password", Args: []Arg{name, rootArg}, Run: shadowPasswd("-l", locked), Doc: `
Lock the password of the user name. Returns whether it is locked. ` + about + `

CLI Example:

    salt '*' shadow.lock_password username
`},
		Function{Name: "unlock_password", Args: []Arg{name, rootArg}, Run: shadowPasswd("-u", func(p string) bool { return !locked(p) }), Doc: `
Unlock the password of the user name. Returns whether it is unlocked. ` + about + `

CLI Example:

    salt '*' shadow.unlock_password username
`},
	)
	for _, a := range []struct {
		fun, arg, param, what string
		field                 int
		look                  bool
	}{
		{"set_inactdays", "inactdays", "-I", "how many days after its password has expired the account is shut", 6, true},
		{"set_maxdays", "maxdays", "-M", "how many days a password is good for", 4, true},
		{"set_mindays", "mindays", "-m", "how many days have to be between two changes of the password", 3, true},
		{"set_warndays", "warndays", "-W", "how many days before the password expires the user is warned", 5, true},
		{"set_date", "date", "-d", "when the password was last changed, in days since 1970 or as YYYY-MM-DD", 2, false},
		{"set_expire", "expire", "-E", "when the account is shut, in days since 1970 or as YYYY-MM-DD; -1 is never", 7, false},
	} {
		Register("shadow", Function{
			Name: a.fun, Args: []Arg{name, {Name: a.arg, Required: true}, rootArg}, Run: shadowAge(a.arg, a.param, a.field, a.look),
			Doc: `
Set, for the user name, ` + a.what + ` (` + a.arg + `). Returns whether that is set. ` + about + `

CLI Example:

    salt '*' shadow.` + a.fun + ` username 7
`,
		})
	}
}

func locked(secret string) bool { return strings.HasPrefix(secret, "!") }

// shadowLine returns the fields of a user, nil if the user or the file does not exist.
func shadowLine(name, root string) ([]string, error) {
	data, err := os.ReadFile(accountFile(root, "shadow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, f := range fields(data, 2) {
		if f[0] == name {
			for len(f) < 9 {
				f = append(f, "")
			}
			return f, nil
		}
	}
	return nil, err
}

func shadowInfo(_ context.Context, c *Call) (any, error) {
	f, err := shadowLine(c.Str("name"), c.Str("root"))
	if err != nil {
		return nil, CommandErrorf("%s", pythonOSError(err))
	}
	m := value.NewMap()
	for i, key := range shadowKeys {
		switch {
		case f == nil:
			m.Set(key, "")
		case i < 2:
			m.Set(key, f[i])
		default:
			m.Set(key, number10(f[i]))
		}
	}
	return m, nil
}

func shadowList(_ context.Context, c *Call) (any, error) {
	data, err := os.ReadFile(accountFile(c.Str("root"), "shadow"))
	if err != nil {
		return nil, CommandErrorf("%s", pythonOSError(err))
	}
	var names []string
	for _, f := range fields(data, 2) {
		names = append(names, f[0])
	}
	slices.Sort(names)
	return wire.AnyList(names), nil
}

func shadowSet(ctx context.Context, c *Call) (any, error) {
	name, secret, root := c.Str("name"), c.Str("password"), c.Str("root")
	if strings.ContainsAny(secret, ":\n\x00") || plainArg("", name) != nil || strings.Contains(name, ":") {
		return nil, InvocationErrorf("a name or password hash must not contain a colon or a line break")
	}
	if _, ok, err := c.account(ctx, name, root); err != nil || !ok {
		logger(c.Env).Warn("password not set: user does not exist", "user", name)
		return false, err
	}
	if c.IsTrue("use_usermod") {
		words := append([]string{"usermod"}, inRoot(c)...)
		if _, err := c.exec(ctx, append(words, "-p", secret, name)...); err != nil {
			return nil, err
		}
	} else if err := writeShadow(accountFile(root, "shadow"), name, secret, time.Now()); err != nil {
		return nil, CommandErrorf("the password of %s is not set: %v", name, err)
	}
	f, err := shadowLine(name, root)
	return f != nil && f[1] == secret, err
}

// writeShadow sets a hash in a shadow file in one step. The file keeps its owner and mode.
// It is never half written or readable by others.
func writeShadow(file, name, secret string, now time.Time) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	day := strconv.FormatInt(now.Unix()/86400, 10)
	var lines []string
	found := false
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimSpace(line), ":"); f[0] == name {
			f = append(f[:min(len(f), 9)], slices.Repeat([]string{""}, 9)...)[:9]
			f[1], f[2], found = secret, day, true
			line = strings.Join(f, ":") + "\n"
		}
		lines = append(lines, line)
	}
	if !found {
		lines = append(lines, name+":"+secret+":"+day+"::::::\n")
	}
	return replaceFile(file, []byte(strings.Join(lines, "")))
}

// replaceFile replaces the content of a file in one step and keeps owner and mode.
func replaceFile(file string, data []byte) error {
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	file = realPath(file)
	f, err := os.CreateTemp(parent(file), ".mom-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	if sys, ok := posix.StatOf(st); ok && os.Geteuid() == 0 {
		err = f.Chown(int(sys.Uid), int(sys.Gid))
	}
	if err == nil {
		err = f.Chmod(st.Mode())
	}
	if err == nil {
		_, err = f.Write(data)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// shadowPasswd changes the password with passwd and checks the result.
func shadowPasswd(param string, good func(secret string) bool) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		name, root := c.Str("name"), c.Str("root")
		if err := plainArg("the name of a user", name); err != nil {
			return nil, err
		}
		f, err := shadowLine(name, root)
		if err != nil || f == nil || good(f[1]) {
			return f != nil, err
		}
		words := append([]string{"passwd"}, inRoot(c)...)
		if _, err := c.exec(ctx, append(words, param, name)...); err != nil {
			return nil, err
		}
		f, err = shadowLine(name, root)
		return f != nil && good(f[1]), err
	}
}

// shadowAge sets a field with chage.
func shadowAge(arg, param string, field int, look bool) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		name, root, want := c.Str("name"), c.Str("root"), c.Str(arg)
		if err := plainArg("the name of a user", name); err != nil {
			return nil, err
		}
		f, err := shadowLine(name, root)
		if err != nil || f == nil {
			return false, err
		}
		if PyStr(number10(f[field])) == want {
			return true, nil
		}
		words := append([]string{"chage"}, inRoot(c)...)
		done, err := c.succeeds(ctx, append(words, param, want, name)...)
		if err != nil || !look {
			return done, err
		}
		f, err = shadowLine(name, root)
		return f != nil && PyStr(number10(f[field])) == want, err
	}
}
