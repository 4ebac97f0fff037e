// Package man is the command mom man: it writes manual pages of all commands, made from
// what each says of itself with --help.
package man
