// Package jinja runs Jinja templates as Jinja 3 does under Python: its grammar, its
// scopes, its filters and tests, the methods of Python's str, list and dict, Python's
// arithmetic and Python's way to print. It knows nothing of Salt; package render adds
// what Salt adds.
//
// A template is parsed once ([Environment.Parse]) and run any number of times, at the
// same time too. A run is bounded by [Limits] and ends when its context does. Every
// fault of a template is an [*Error] with the line of the innermost template code, as
// Python's traceback would name it.
package jinja
