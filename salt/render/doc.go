// Package render turns Salt's files into text and values: Jinja for file.managed
// templates, Jinja and YAML (and the other render pipes) for pillar, states, reactor
// and top files. A template runs with Salt's variables, filters, tests and functions
// and prints what Python would print. What cannot be rendered is an [*Error] with
// Salt's text, never a wrong or empty value; what a template may use of time, memory
// and depth is bounded by [Limits].
package render
