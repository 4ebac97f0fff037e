// Package arguments turns the words of a command line into the values a function
// gets: each word is read as YAML, the way Salt's loader reads it, and words of
// the form name=value become keyword arguments. What cannot be read as YAML, or
// would lose something by it, stays the text it is.
package arguments
