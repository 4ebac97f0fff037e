// Package inifile edits ini files as Salt's module ini does: options before any section
// and in sections, comments kept, a commented option taken for its place. It does no I/O:
// a text comes in, and goes out. What it reads of any text it writes again in Salt's form.
package inifile
