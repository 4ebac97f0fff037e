// Package render renders Salt's files to text and data: Jinja for file.managed templates,
// and Jinja and YAML (or other render pipes) for pillar, states, reactor and top files. A
// template has Salt's variables, filters, tests and functions, and prints what Python would
// print. A failure is an [*Error] with Salt's text, never a wrong or empty value. [Limits]
// bound the time, memory and nesting of a template.
package render
