// Package jinja runs Jinja templates as Jinja 3 does under Python: its grammar, scopes,
// filters and tests, the methods of Python's str, list and dict, Python's arithmetic and
// its output. It is independent of Salt; package render adds Salt's extensions.
//
// A template is parsed once ([Environment.Parse]) and can be run many times, also
// concurrently. A run is bounded by [Limits] and ends with its context. Every fault of a
// template is an [*Error] with the line of the innermost template code, as in Python's
// traceback.
package jinja
