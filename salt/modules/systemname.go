package modules

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// machineInfo is the file with the description of a host without hostnamectl.
var machineInfo = "/etc/machine-info"

func init() {
	Register("system",
		Function{Name: "get_computer_desc", Run: systemDescription, Doc: `
Return the description of the host (PRETTY_HOSTNAME), False when it has none.

CLI Example:

    salt '*' system.get_computer_desc
`},
		Function{Name: "set_computer_desc", Args: []Arg{{Name: "desc", Required: true}}, Run: systemDescribe, Doc: `
Set the description of the host (PRETTY_HOSTNAME) to desc.

CLI Example:

    salt '*' system.set_computer_desc "Michael's laptop"
`},
		Function{Name: "get_computer_name", Run: func(context.Context, *Call) (any, error) { return hostname() }, Doc: `
Return the name of the host.

CLI Example:

    salt '*' system.get_computer_name
`},
	)
}

func hostname() (any, error) {
	name, err := os.Hostname()
	return name, osFault(err)
}

var prettyLine = regexp.MustCompile(`(?m)^[ \t]*PRETTY_HOSTNAME=(.*)$`)

func systemDescription(ctx context.Context, c *Call) (any, error) {
	var desc string
	if which("hostnamectl") != "" {
		r, err := runSystem(ctx, c, "hostnamectl", "status", "--pretty")
		if err != nil {
			return nil, err
		}
		desc = said(r)
	} else {
		data, err := os.ReadFile(machineInfo)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, osFault(err)
		}
		found := prettyLine.FindAllStringSubmatch(string(data), -1)
		if found == nil {
			return false, nil
		}
		desc = strings.TrimSpace(found[len(found)-1][1])
		if n := len(desc); n > 1 && desc[0] == desc[n-1] && strings.ContainsAny(desc[:1], `'"`) {
			desc = desc[1 : n-1]
		}
	}
	for _, pair := range [][2]string{{`\\`, `\`}, {`\"`, `"`}, {`\n`, "\n"}, {`\t`, "\t"}} {
		desc = strings.ReplaceAll(desc, pair[0], pair[1])
	}
	return desc, nil
}

func systemDescribe(ctx context.Context, c *Call) (any, error) {
	desc := strings.NewReplacer(`"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(c.Str("desc"))
	if strings.ContainsAny(desc, "\x00\r") {
		return nil, InvocationErrorf("invalid characters in desc: %s", PyRepr(desc))
	}
	if which("hostnamectl") != "" {
		r, err := runSystem(ctx, c, "hostnamectl", "set-hostname", "--pretty", "--", desc)
		return err == nil && r.retcode == 0, err
	}
	data, err := os.ReadFile(machineInfo)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	line, body := `PRETTY_HOSTNAME="`+desc+`"`, string(data)
	if at := prettyLine.FindStringIndex(body); at != nil {
		body = body[:at[0]] + line + body[at[1]:]
	} else {
		if body != "" && !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		body += line + "\n"
	}
	return putText(machineInfo, body) == nil, nil
}
