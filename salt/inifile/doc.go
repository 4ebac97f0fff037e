// Package inifile edits ini files as Salt's module ini does: options before the first
// section and in sections. It keeps comments, and puts a new option in the place of its
// commented form. It does no I/O. Any text can be parsed and is written in Salt's form.
package inifile
