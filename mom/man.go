package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// manCommand is mom man. commands gives the commands that there are, by the names by which
// the program may be called: each gets a page, and each command below one.
func manCommand(commands func() []*cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages of all commands into a folder",
		Long: "Writes a page of section 1 for each command, by what its --help says: mom.1, mom-tree.1,\n" +
			"salt.1 and so on. Packages bring them along; with a binary alone:\n\n" +
			"  mom man /usr/local/share/man/man1",
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder for manual pages: %w", err)
			}
			for _, c := range commands() {
				if err := writeManual(args[0], c); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// writeManual writes the page of a command and those of the commands below it.
func writeManual(dir string, c *cobra.Command) error {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	var b bytes.Buffer
	if err := writePage(&b, c, name); err != nil {
		return fmt.Errorf("make the manual page %s: %w", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".1"), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the manual page %s: %w", name, err)
	}
	for _, sub := range c.Commands() {
		if sub.Hidden || sub.Name() == "help" || sub.Name() == "completion" {
			continue
		}
		if err := writeManual(dir, sub); err != nil {
			return err
		}
	}
	return nil
}

// writePage writes one page in the language of man(7).
func writePage(w io.Writer, c *cobra.Command, name string) error {
	usage, sections, err := help(c)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s \"User Commands\"\n", quote(strings.ToUpper(name)), quote("mom "+c.Root().Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", text(name), text(strings.ToLower(c.Short[:1])+c.Short[1:]))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", text(usage))
	if c.Long != "" {
		fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", text(c.Long))
	}
	for _, s := range sections {
		fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", quote(strings.ToUpper(s.title)), text(s.body))
	}
	if p := c.Parent(); p != nil {
		fmt.Fprintf(&b, ".SH \"SEE ALSO\"\n.BR %s (1)\n", text(strings.ReplaceAll(p.CommandPath(), " ", "-")))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// section is a heading of the help with its text.
type section struct{ title, body string }

// help reads what a command says with --help: the line of its usage, and what follows.
func help(c *cobra.Command) (usage string, sections []section, err error) {
	var b bytes.Buffer
	root := c.Root()
	was := root.OutOrStdout()
	root.SetOut(&b)
	defer root.SetOut(was)
	c.InitDefaultHelpFlag()
	if err := c.Help(); err != nil {
		return "", nil, err
	}
	_, rest, ok := strings.Cut(b.String(), "Usage:")
	if !ok {
		return "", nil, errors.New("its help has no usage")
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, " \n")
		title, heads := strings.CutSuffix(line, ":")
		switch heads = heads && !strings.HasPrefix(line, " "); {
		case heads:
			sections = append(sections, section{title: title})
		case len(sections) > 0:
			sections[len(sections)-1].body += line + "\n"
		case usage == "":
			usage = strings.TrimSpace(line)
		}
	}
	for i := range sections {
		sections[i].body = strings.Trim(sections[i].body, "\n")
	}
	return usage, sections, nil
}

// text is a text as man(7) takes it: nothing in it is an order, and dashes are those that
// one can copy.
func text(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

func quote(s string) string { return `"` + strings.ReplaceAll(text(s), `"`, `\(dq`) + `"` }
